import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.TokenStream;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.analysis.tokenattributes.CharTermAttribute;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.FuzzyQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.util.Version;

/**
 * Ranks queries with Lucene's BM25 (k1 1.2, b 0.75): two text fields of equal weight, any of the words.
 *
 * <p>Arguments: ANALYSIS DOCUMENTS QUERIES LIMIT. DOCUMENTS has lines "id TAB title TAB text", QUERIES
 * one query a line. ANALYSIS "tokens": both are analysed already, words with spaces between them;
 * "english": Lucene's EnglishAnalyzer; "fuzzy": tokens, and each word of a query, written "word~edits",
 * is a FuzzyQuery as Lucene scores it by default. Writes the version, then one line of ids a query,
 * best first.
 */
public class LuceneRanker {
  private static final String[] FIELDS = {"title", "text"};

  public static void main(String[] arguments) throws Exception {
    String analysis = arguments[0];
    int limit = Integer.parseInt(arguments[3]);
    IndexSearcher.setMaxClauseCount(100_000);
    Analyzer analyzer = analysis.equals("english") ? new EnglishAnalyzer() : new WhitespaceAnalyzer();
    BM25Similarity similarity = new BM25Similarity(1.2f, 0.75f);
    ByteBuffersDirectory directory = new ByteBuffersDirectory();
    IndexWriterConfig config = new IndexWriterConfig(analyzer).setSimilarity(similarity);
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      for (String line : Files.readAllLines(Path.of(arguments[1]))) {
        String[] parts = line.split("\t", -1);
        Document document = new Document();
        document.add(new StoredField("id", parts[0]));
        for (int i = 0; i < FIELDS.length; i++) {
          document.add(new TextField(FIELDS[i], parts[i + 1], Field.Store.NO));
        }
        writer.addDocument(document);
      }
    }
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    out.println(Version.LATEST);
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      IndexSearcher searcher = new IndexSearcher(reader);
      searcher.setSimilarity(similarity);
      for (String line : Files.readAllLines(Path.of(arguments[2]))) {
        BooleanQuery.Builder query = new BooleanQuery.Builder();
        for (String token : tokens(analyzer, line)) {
          for (String field : FIELDS) {
            query.add(wordQuery(analysis, field, token), BooleanClause.Occur.SHOULD);
          }
        }
        List<String> ids = new ArrayList<>();
        for (ScoreDoc hit : searcher.search(query.build(), limit).scoreDocs) {
          ids.add(searcher.storedFields().document(hit.doc).get("id"));
        }
        out.println(String.join(" ", ids));
      }
    }
    out.flush();
  }

  private static Query wordQuery(String analysis, String field, String token) {
    if (!analysis.equals("fuzzy")) return new TermQuery(new Term(field, token));
    int mark = token.lastIndexOf('~');
    return new FuzzyQuery(
        new Term(field, token.substring(0, mark)), Integer.parseInt(token.substring(mark + 1)));
  }

  private static List<String> tokens(Analyzer analyzer, String text) throws Exception {
    List<String> tokens = new ArrayList<>();
    try (TokenStream stream = analyzer.tokenStream("text", text)) {
      CharTermAttribute term = stream.addAttribute(CharTermAttribute.class);
      stream.reset();
      while (stream.incrementToken()) tokens.add(term.toString());
      stream.end();
    }
    return tokens;
  }
}
