import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.facet.FacetResult;
import org.apache.lucene.facet.FacetsCollector;
import org.apache.lucene.facet.FacetsCollectorManager;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetCounts;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FieldDoc;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexOrDocValuesQuery;
import org.apache.lucene.search.MatchAllDocsQuery;
import org.apache.lucene.search.MultiTermQuery;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.PrefixQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.TopDocs;
import org.apache.lucene.search.TopFieldCollectorManager;
import org.apache.lucene.search.TopScoreDocCollectorManager;

/** A query of the workload, bound to Lucene's queries and collectors. */
final class Operation {
  private static final int HITS = 10;
  /** Expansions of a fuzzy word: all of them. */
  private static final int EXPANSIONS_MAX = 10_000;
  /** Lucene leaves out the factor k1 + 1 of BM25, which Tantivy and Findling have. */
  private static final float SCORE_FACTOR = 2.2f;

  private final String kind;
  private final Query query;
  private final int[] docs;
  private int nextDoc;

  private Operation(String kind, Query query, int[] docs) {
    this.kind = kind;
    this.query = query;
    this.docs = docs;
  }

  /** Null for a kind that isn't measured with Lucene. */
  @SuppressWarnings("unchecked")
  static Operation of(Map<String, Object> line) {
    String kind = (String) line.get("kind");
    if (kind.equals("filtered_page")) return null;
    List<String> words = (List<String>) line.getOrDefault("terms", List.of());
    List<Double> docs = (List<Double>) line.getOrDefault("docs", List.of());
    return new Operation(kind, query(kind, words, line), docs.stream().mapToInt(Double::intValue).toArray());
  }

  private static Query query(String kind, List<String> words, Map<String, Object> line) {
    return switch (kind) {
      case "term" -> word(words.get(0));
      case "and" -> allOf(Occur.MUST, words);
      case "or" -> allOf(Occur.SHOULD, words);
      case "phrase" -> new PhraseQuery(Collection.TEXT, words.toArray(new String[0]));
      case "fuzzy" ->
          new FuzzyQuery(
              new Term(Collection.TEXT, words.get(0)),
              ((Double) line.get("distance")).intValue(),
              0,
              EXPANSIONS_MAX,
              true,
              MultiTermQuery.CONSTANT_SCORE_REWRITE);
      case "prefix" -> new PrefixQuery(new Term(Collection.TEXT, words.get(0)));
      case "range" -> range(line);
      case "term_range" ->
          new BooleanQuery.Builder().add(word(words.get(0)), Occur.MUST).add(range(line), Occur.FILTER).build();
      // Without words: all documents.
      default -> words.isEmpty() ? new MatchAllDocsQuery() : word(words.get(0));
    };
  }

  private static Query word(String text) {
    return new TermQuery(new Term(Collection.TEXT, text));
  }

  private static Query allOf(Occur occur, List<String> words) {
    BooleanQuery.Builder all = new BooleanQuery.Builder();
    for (String text : words) all.add(word(text), occur);
    return all.build();
  }

  private static Query range(Map<String, Object> line) {
    long lower = ((Double) line.get("lower")).longValue();
    long upper = ((Double) line.get("upper")).longValue();
    return new IndexOrDocValuesQuery(
        LongPoint.newRangeQuery(Collection.NUMBER, lower, upper),
        NumericDocValuesField.newSlowRangeQuery(Collection.NUMBER, lower, upper));
  }

  Answer run(String mode, Collection collection) throws IOException {
    return switch (kind) {
      case "range" -> Answer.counted(collection.searcher.count(query));
      case "facets" -> facets(collection);
      case "sort" -> sorted(collection);
      case "stored" -> stored(collection);
      default -> ranked(mode, collection);
    };
  }

  private Answer ranked(String mode, Collection collection) throws IOException {
    int exactUpTo = mode.equals("one_pass") ? Integer.MAX_VALUE : HITS;
    TopDocs top = collection.searcher.search(query, new TopScoreDocCollectorManager(HITS, null, exactUpTo));
    Answer answer = new Answer();
    if (mode.equals("one_pass")) answer.count = top.totalHits.value;
    if (mode.equals("two_passes")) answer.count = collection.searcher.count(query);
    for (ScoreDoc hit : top.scoreDocs) {
      answer.docs.add((long) hit.doc);
      answer.scores.add(hit.score * SCORE_FACTOR);
    }
    return answer;
  }

  private Answer sorted(Collection collection) throws IOException {
    Sort descending = new Sort(new SortField(Collection.NUMBER, SortField.Type.LONG, true));
    Answer answer = new Answer();
    TopDocs top = collection.searcher.search(query, new TopFieldCollectorManager(descending, HITS, null, HITS));
    for (ScoreDoc hit : top.scoreDocs) {
      answer.docs.add((long) hit.doc);
      answer.numbers.add((Long) ((FieldDoc) hit).fields[0]);
    }
    return answer;
  }

  private Answer facets(Collection collection) throws IOException {
    Answer answer = new Answer();
    FacetsCollector matches = collection.searcher.search(query, new FacetsCollectorManager());
    FacetResult roots =
        new SortedSetDocValuesFacetCounts(collection.facetState, matches).getAllChildren(Collection.FACET);
    if (roots == null) return answer;
    for (var root : roots.labelValues) answer.facets.add(Map.entry("/" + root.label, root.value.longValue()));
    return answer;
  }

  private Answer stored(Collection collection) throws IOException {
    Answer answer = new Answer();
    var fields = collection.searcher.storedFields();
    for (int i = 0; i < HITS; i++) {
      answer.docs.add((long) fields.document(docs[nextDoc]).getFields().size());
      nextDoc = (nextDoc + 1) % docs.length;
    }
    return answer;
  }

  /** What a query gives; members as in the line protocol. */
  static final class Answer {
    long count = -1;
    final List<Long> docs = new ArrayList<>(HITS);
    final List<Float> scores = new ArrayList<>(HITS);
    final List<Long> numbers = new ArrayList<>();
    final List<Map.Entry<String, Long>> facets = new ArrayList<>();

    static Answer counted(long count) {
      Answer answer = new Answer();
      answer.count = count;
      return answer;
    }

    String json() {
      List<String> paths =
          facets.stream().map(facet -> "[" + Json.quote(facet.getKey()) + "," + facet.getValue() + "]").toList();
      return "{"
          + (count < 0 ? "" : "\"count\":" + count + ",")
          + ("\"docs\":" + docs + ",\"scores\":" + scores + ",\"numbers\":" + numbers + ",\"facets\":" + paths)
          + "}";
    }
  }
}
