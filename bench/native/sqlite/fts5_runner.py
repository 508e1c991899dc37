"""SQLite's FTS5 in the benchmark's line protocol (bench/README.md). It has no fuzzy terms."""
import json
import os
import sqlite3
import sys
import time

# Timing, the same in every runner (bench/peers/runners/stopwatch.ts is its twin).
WARM_UP_SECONDS = 0.0005
BATCH_SECONDS = 0.0003
BATCHES = 5
CALLS_PER_BATCH_MAX = 2000
# From here on one warm-up call and fewer batches will do.
SLOW_SECONDS = 0.02

HITS = 10
MATCHING = "FROM fts WHERE fts MATCH ?"
JOINED = "FROM fts JOIN docs ON docs.rowid = fts.rowid WHERE fts MATCH ?"
ROOTS = "SELECT root, count(DISTINCT doc) FROM facets"


def hot(call):
    """Microseconds a call takes when it is repeated: the median of several batches."""
    start = time.perf_counter()
    calls = 0
    elapsed = 0.0
    while elapsed < SLOW_SECONDS and (elapsed < WARM_UP_SECONDS or calls < 3):
        call()
        calls += 1
        elapsed = time.perf_counter() - start
    per_call = elapsed / calls
    calls_per_batch = min(max(1, -int(-BATCH_SECONDS // per_call)), CALLS_PER_BATCH_MAX)
    means = []
    for _ in range(2 if per_call >= SLOW_SECONDS else BATCHES):
        start = time.perf_counter()
        for _ in range(calls_per_batch):
            call()
        means.append((time.perf_counter() - start) * 1e6 / calls_per_batch)
    means.sort()
    middle = len(means) // 2
    return means[middle] if len(means) % 2 else (means[middle - 1] + means[middle]) / 2


def once(call):
    """Microseconds that a single call takes."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e6


def connect(folder):
    db = sqlite3.connect(os.path.join(folder, "index.db"), isolation_level=None)
    db.execute("PRAGMA cache_size = -262144")
    db.execute("PRAGMA mmap_size = 8589934592")
    return db


def build(input_file, folder):
    db = connect(folder)
    db.execute("PRAGMA journal_mode = OFF")
    db.execute("PRAGMA synchronous = OFF")
    # Contentless: the documents are a table of their own. The ascii tokenizer splits at spaces.
    db.execute("CREATE VIRTUAL TABLE fts USING fts5(t, content='', tokenize='ascii')")
    db.execute("CREATE TABLE docs(rowid INTEGER PRIMARY KEY, n INTEGER, json TEXT)")
    db.execute("CREATE TABLE facets(doc INTEGER, root TEXT, path TEXT)")
    db.execute("BEGIN")
    with open(input_file, encoding="utf-8") as lines:
        for doc, line in enumerate(lines):
            row = json.loads(line)
            db.execute("INSERT INTO fts(rowid, t) VALUES(?, ?)", (doc, row["t"]))
            db.execute("INSERT INTO docs VALUES(?, ?, ?)", (doc, row["n"], line.rstrip("\n")))
            paths = [(doc, "/" + path.split("/")[1], path) for path in row["f"]]
            db.executemany("INSERT INTO facets VALUES(?, ?, ?)", paths)
    db.execute("COMMIT")
    db.execute("CREATE INDEX docs_n ON docs(n)")
    db.execute("CREATE INDEX facets_doc ON facets(doc)")
    db.execute("INSERT INTO fts(fts) VALUES('optimize')")
    db.close()


def expression(query):
    """The words in FTS5's syntax."""
    quoted = ['"%s"' % word for word in query.get("terms", [])]
    kind = query["kind"]
    if kind == "phrase":
        return '"%s"' % " ".join(query["terms"])
    if kind == "prefix":
        return quoted[0] + "*"
    return (" AND " if kind == "and" else " OR ").join(quoted)


class Collection:
    def __init__(self, folder):
        self.db = connect(folder)

    def docs(self):
        return self.db.execute("SELECT count(*) FROM docs").fetchone()[0]

    def operation(self, query):
        """A function of the mode that answers the query; None for a kind that FTS5 doesn't have."""
        kind = query["kind"]
        match = expression(query)
        rows = lambda sql, *values: self.db.execute(sql, values).fetchall()
        if kind in ("term", "and", "or", "phrase", "prefix"):
            return lambda mode: self.ranked(rows, MATCHING, "rowid", mode, match)
        if kind == "term_range":
            bounds = (match, query["lower"], query["upper"])
            return lambda mode: self.ranked(rows, JOINED + " AND n BETWEEN ? AND ?", "fts.rowid", mode, *bounds)
        if kind == "range":
            sql = "SELECT count(*) FROM docs WHERE n BETWEEN ? AND ?"
            return lambda mode: {"count": rows(sql, query["lower"], query["upper"])[0][0], "docs": [], "scores": []}
        if kind == "sort":
            source, values = (JOINED, (match,)) if match else ("FROM docs", ())
            sql = f"SELECT docs.rowid, n {source} ORDER BY n DESC LIMIT {HITS}"
            return lambda mode: self.sorted(rows(sql, *values))
        if kind == "facets":
            where, values = (f" WHERE doc IN (SELECT rowid {MATCHING})", (match,)) if match else ("", ())
            sql = f"{ROOTS}{where} GROUP BY root"
            return lambda mode: {"docs": [], "scores": [], "facets": rows(sql, *values)}
        if kind == "stored":
            return self.stored(rows, query["docs"])
        return None

    def ranked(self, rows, source, rowid, mode, *values):
        hits = rows(f"SELECT {rowid}, rank {source} ORDER BY rank LIMIT {HITS}", *values)
        answer = {"docs": [doc for doc, _ in hits], "scores": [-rank for _, rank in hits]}
        if mode != "top10":
            answer["count"] = rows(f"SELECT count(*) {source}", *values)[0][0]
        return answer

    def sorted(self, hits):
        return {"docs": [doc for doc, _ in hits], "scores": [], "numbers": [n for _, n in hits]}

    def stored(self, rows, docs):
        """Ten documents a call, other ones each time."""
        next_doc = 0

        def read(mode):
            nonlocal next_doc
            chosen = docs[next_doc : next_doc + HITS]
            next_doc = (next_doc + HITS) % len(docs)
            texts = [rows("SELECT json FROM docs WHERE rowid = ?", doc)[0][0] for doc in chosen]
            return {"docs": [len(text) for text in texts], "scores": []}

        return read


def main():
    collection = None
    operations = []
    for line in sys.stdin:
        command = json.loads(line)
        name = command["cmd"]
        start = time.perf_counter()
        if name == "info":
            answer = {"engine": "fts5", "version": sqlite3.sqlite_version, "modes": ["top10", "one_pass"]}
            answer["comparableScores"] = False
        elif name == "build":
            build(command["input"], command["dir"])
            answer = {"build_s": time.perf_counter() - start}
        elif name == "open":
            collection = Collection(command["dir"])
            answer = {"open_s": time.perf_counter() - start, "docs": collection.docs(), "segments": 1}
            answer |= {"index_bytes": os.path.getsize(os.path.join(command["dir"], "index.db")), "store_bytes": 0}
        elif name == "queries":
            operations = [collection.operation(query) for query in command["queries"]]
            answer = {"supported": [operation is not None for operation in operations]}
        elif name == "answers":
            answer = {"answers": [operations[place](command["mode"]) for place in command["places"]]}
        elif name in ("hot", "mixed"):
            watch = hot if name == "hot" else once
            mode = command["mode"]
            calls = [(lambda operation=operations[place]: operation(mode)) for place in command["places"]]
            answer = {"times": [watch(call) for call in calls]}
        else:
            break
        print(json.dumps(answer), flush=True)


main()
