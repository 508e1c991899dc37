"""Line protocol shared by the Python runners: one JSON command in, one JSON answer out."""
import json
import os
import sys
import time


def rows(path):
    with open(path, encoding="utf-8") as f:
        for line in f:
            yield json.loads(line)


def dir_bytes(path):
    return sum(os.path.getsize(os.path.join(d, f)) for d, _, fs in os.walk(path) for f in fs)


def serve(engine):
    for line in sys.stdin:
        cmd = json.loads(line)
        if cmd["cmd"] == "info":
            out = engine.info()
        elif cmd["cmd"] == "build":
            t = time.perf_counter()
            extra = engine.build(cmd["input"], cmd["fields"], cmd["dir"]) or {}
            out = {"build_s": time.perf_counter() - t, "index_bytes": dir_bytes(cmd["dir"]), **extra}
        elif cmd["cmd"] == "open":
            t = time.perf_counter()
            extra = engine.open(cmd["fields"], cmd["dir"]) or {}
            out = {"open_s": time.perf_counter() - t, **extra}
        elif cmd["cmd"] == "run":
            f = getattr(engine, "q_" + cmd["kind"], None)
            if f is None:
                out = {"unsupported": True}
            else:
                lat, counts, tops, scores = [], [], [], []
                clock = time.perf_counter_ns
                for q in cmd["queries"]:
                    t = clock()
                    count, top = f(q)
                    lat.append((clock() - t) / 1000)
                    scores.append(getattr(engine, "last_scores", []))
                    counts.append(count)
                    tops.append(top)
                out = {"lat_us": lat, "counts": counts, "tops": tops, "scores": scores}
        elif cmd["cmd"] == "quit":
            break
        sys.stdout.write(json.dumps(out) + "\n")
        sys.stdout.flush()
