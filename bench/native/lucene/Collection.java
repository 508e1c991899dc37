import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.lucene.analysis.core.WhitespaceAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.LongPoint;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.facet.FacetsConfig;
import org.apache.lucene.facet.sortedset.DefaultSortedSetDocValuesReaderState;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesFacetField;
import org.apache.lucene.facet.sortedset.SortedSetDocValuesReaderState;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.NoMergePolicy;
import org.apache.lucene.index.SerialMergeScheduler;
import org.apache.lucene.index.TieredMergePolicy;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.similarities.BM25Similarity;
import org.apache.lucene.store.FSDirectory;

/** The index: how it is built and opened. */
final class Collection {
  static final String TEXT = "t";
  static final String NUMBER = "n";
  static final String FACET = "f";
  /** As large as Tantivy's writer has it. */
  private static final double WRITER_MEGABYTES = 500;

  private static final FacetsConfig FACETS = new FacetsConfig();

  static {
    FACETS.setMultiValued(FACET, true);
    FACETS.setHierarchical(FACET, true);
  }

  final IndexSearcher searcher;
  final SortedSetDocValuesReaderState facetState;
  final int segments;

  Collection(String folder) throws IOException {
    DirectoryReader reader = DirectoryReader.open(FSDirectory.open(Path.of(folder)));
    segments = reader.leaves().size();
    searcher = new IndexSearcher(reader);
    searcher.setQueryCache(null);
    searcher.setSimilarity(similarity());
    facetState = new DefaultSortedSetDocValuesReaderState(reader, FACETS);
  }

  private static BM25Similarity similarity() {
    return new BM25Similarity(1.2f, 0.75f);
  }

  /** Builds an index of the file's rows: one thread, one segment in the end. */
  @SuppressWarnings("unchecked")
  static void build(String input, String folder) throws IOException {
    IndexWriterConfig config =
        new IndexWriterConfig(new WhitespaceAnalyzer())
            .setSimilarity(similarity())
            .setRAMBufferSizeMB(WRITER_MEGABYTES)
            .setMergeScheduler(new SerialMergeScheduler())
            .setMergePolicy(NoMergePolicy.INSTANCE)
            // Files of their own, so that the store can be told from the index.
            .setUseCompoundFile(false);
    try (IndexWriter writer = new IndexWriter(FSDirectory.open(Path.of(folder)), config);
        BufferedReader lines = Files.newBufferedReader(Path.of(input))) {
      for (String line; (line = lines.readLine()) != null; ) {
        Map<String, Object> row = (Map<String, Object>) Json.parse(line);
        Document document = new Document();
        document.add(new TextField(TEXT, (String) row.get("t"), Field.Store.YES));
        long number = ((Double) row.get("n")).longValue();
        document.add(new LongPoint(NUMBER, number));
        document.add(new NumericDocValuesField(NUMBER, number));
        document.add(new StoredField("stored_n", number));
        for (String path : (List<String>) row.get("f")) {
          document.add(new SortedSetDocValuesFacetField(FACET, path.substring(1).split("/")));
          document.add(new StoredField("stored_f", path));
        }
        writer.addDocument(FACETS.build(document));
      }
      writer.commit();
      TieredMergePolicy merging = new TieredMergePolicy();
      merging.setNoCFSRatio(0);
      writer.getConfig().setMergePolicy(merging);
      writer.forceMerge(1);
    }
  }
}
