"""Ranks queries with Tantivy's BM25: two text fields of equal weight, any of the words.

usage: tantivy_ranker.py ANALYSIS DOCUMENTS QUERIES LIMIT

DOCUMENTS has lines "id TAB title TAB text", QUERIES one query a line. ANALYSIS "tokens": both are
analysed already, words with spaces between them; "default" and "en_stem": Tantivy's own tokenizers of
those names. Writes the version, then one line of ids a query, best first.
"""
import sys

import tantivy
from tantivy import Index, Occur, Query

FIELDS = ["title", "text"]
OWN = {
    # As Tantivy registers them: words of letters and digits, none over 40 bytes, lower case.
    "default": lambda b: b,
    "en_stem": lambda b: b.filter(tantivy.Filter.stemmer("english")),
}


def analyzer(name):
    b = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
    b = b.filter(tantivy.Filter.remove_long(40)).filter(tantivy.Filter.lowercase())
    return OWN[name](b).build()


def main(analysis, documents, queries, limit):
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("id", stored=True, tokenizer_name="raw", index_option="basic")
    tokenizer = "whitespace" if analysis == "tokens" else analysis
    for name in FIELDS:
        builder.add_text_field(name, tokenizer_name=tokenizer, index_option="freq")
    index = Index(builder.build())
    writer = index.writer(heap_size=200_000_000, num_threads=1)
    with open(documents, encoding="utf-8") as lines:
        for line in lines:
            id, title, text = line.rstrip("\n").split("\t")
            writer.add_document(tantivy.Document(id=id, title=title, text=text))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()
    tokens = str.split if analysis == "tokens" else analyzer(analysis).analyze
    print(tantivy.__version__)
    with open(queries, encoding="utf-8") as lines:
        for line in lines:
            parts = [
                (Occur.Should, Query.term_query(index.schema, name, word, "freq"))
                for word in tokens(line)
                for name in FIELDS
            ]
            hits = searcher.search(Query.boolean_query(parts), limit, False).hits if parts else []
            print(" ".join(searcher.doc(address)["id"][0] for _, address in hits))


main(sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4]))
