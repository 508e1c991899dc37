"""Tantivy through tantivy-py. Text is split on spaces; BM25 with field boosts; exact counts."""
import tantivy
from tantivy import Index, Occur, Query, FieldType
from common import rows, serve


class Engine:
    def info(self):
        return {"engine": "tantivy", "version": tantivy.__version__}

    def _fields(self, fields):
        self.names = [f["name"] for f in fields]
        self.boost = {f["name"]: float(f["weight"]) for f in fields}

    def build(self, path, fields, out):
        self._fields(fields)
        b = tantivy.SchemaBuilder()
        b.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
        for name in self.names:
            b.add_text_field(name, tokenizer_name="whitespace", index_option="position")
        b.add_unsigned_field("n", fast=True, indexed=True)
        b.add_unsigned_field("m", fast=True, indexed=True)
        b.add_text_field("f", fast=True, tokenizer_name="raw", index_option="basic")
        index = Index(b.build(), path=out)
        self._analyzers(index)
        w = index.writer(heap_size=2_000_000_000, num_threads=1)
        for r in rows(path):
            d = tantivy.Document()
            d.add_text("id", r["id"])
            for name, text in zip(self.names, r["t"]):
                d.add_text(name, text)
            d.add_unsigned("n", r["n"])
            d.add_unsigned("m", r["m"])
            for f in r["f"]:
                d.add_text("f", f)
            w.add_document(d)
        w.commit()
        w.wait_merging_threads()

    def _analyzers(self, index):
        pass  # "whitespace" and "raw" are registered by default

    def open(self, fields, out):
        self._fields(fields)
        index = Index.open(out)
        self._analyzers(index)
        index.reload()
        self.index = index
        self.schema = index.schema
        self.s = index.searcher()
        return {"segments": self.s.num_segments}

    def _any(self, make):
        qs = [(Occur.Should, Query.boost_query(make(n), self.boost[n])) for n in self.names]
        return Query.boolean_query(qs)

    def _term(self, t):
        return self._any(lambda n: Query.term_query(self.schema, n, t))

    def _top(self, q, k, count=True, **kw):
        r = self.s.search(q, k, count, **kw)
        doc = self.s.doc
        self.last_scores = [score for score, _ in r.hits] if not kw else []
        return r.count if count else -1, [doc(a)["id"][0] for _, a in r.hits]

    def q_term_high(self, q):
        return self._top(self._term(q["terms"][0]), q["k"])

    q_term_low = q_term_high

    def q_and2(self, q):
        return self._top(Query.boolean_query([(Occur.Must, self._term(t)) for t in q["terms"]]), q["k"])

    def _or(self, q):
        # one flat union: nesting a union per word costs Tantivy twice the time for the same scores
        parts = [
            (Occur.Should, Query.boost_query(Query.term_query(self.schema, n, t), self.boost[n]))
            for t in q["terms"]
            for n in self.names
        ]
        return Query.boolean_query(parts)

    def q_or3(self, q):
        return self._top(self._or(q), q["k"])

    def q_or3_nocount(self, q):
        return self._top(self._or(q), q["k"], False)

    def q_or3_one(self, q):
        # one field, no boosts, no total: the case in which block-max WAND can skip
        n = self.names[-1]
        return self._top(
            Query.boolean_query([(Occur.Should, Query.term_query(self.schema, n, t)) for t in q["terms"]]), q["k"], False
        )

    def q_phrase(self, q):
        return self._top(self._any(lambda n: Query.phrase_query(self.schema, n, q["terms"])), q["k"])

    def _fuzzy(self, q, d):
        t = q["terms"][0]
        return self._top(self._any(lambda n: Query.fuzzy_term_query(self.schema, n, t, d, True)), q["k"])

    def q_fuzzy1(self, q):
        return self._fuzzy(q, 1)

    def q_fuzzy2(self, q):
        return self._fuzzy(q, 2)

    def q_prefix(self, q):
        # a fuzzy term of distance 0 with a free end: half the time of the regular expression "word.*"
        t = q["terms"][0]
        return self._top(self._any(lambda n: Query.fuzzy_term_query(self.schema, n, t, 0, False, True)), q["k"])

    def q_filter(self, q):
        f = Query.const_score_query(Query.term_query(self.schema, "f", q["facet"], "basic"), 0.0)
        return self._top(Query.boolean_query([(Occur.Must, self._term(q["terms"][0])), (Occur.Must, f)]), q["k"])

    def q_range(self, q):
        r = Query.const_score_query(Query.range_query(self.schema, "m", FieldType.Unsigned, q["lo"], q["hi"]), 0.0)
        return self._top(Query.boolean_query([(Occur.Must, self._term(q["terms"][0])), (Occur.Must, r)]), q["k"])

    def q_sort(self, q):
        return self._top(self._term(q["terms"][0]), q["k"], order_by_field="n")

    def q_facet(self, q):
        query = self._term(q["terms"][0])
        count, top = self._top(query, q["k"])
        agg = self.s.aggregate(query, {"f": {"terms": {"field": "f", "size": 10}}})
        return count, [f'{b["key"]}={b["doc_count"]}' for b in agg["f"]["buckets"]]


serve(Engine())
