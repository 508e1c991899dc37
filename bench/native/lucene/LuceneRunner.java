import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.util.Version;

/** Apache Lucene in the benchmark's line protocol ({@code bench/README.md}): one thread, one segment. */
public class LuceneRunner {
  private Collection collection;
  private List<Operation> operations = List.of();

  public static void main(String[] arguments) throws Exception {
    IndexSearcher.setMaxClauseCount(100_000);
    LuceneRunner runner = new LuceneRunner();
    PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      String answer = runner.answer(line);
      if (answer == null) break;
      out.println(answer);
      out.flush();
    }
  }

  @SuppressWarnings("unchecked")
  private String answer(String line) throws Exception {
    Map<String, Object> command = (Map<String, Object>) Json.parse(line);
    String mode = (String) command.get("mode");
    switch ((String) command.get("cmd")) {
      case "info":
        return "{\"engine\":\"lucene\",\"version\":"
            + Json.quote(Version.LATEST + " (Java " + Runtime.version().feature() + ")")
            + ",\"modes\":[\"top10\",\"one_pass\",\"two_passes\"],\"comparableScores\":true}";
      case "build": {
        long start = System.nanoTime();
        Collection.build((String) command.get("input"), (String) command.get("dir"));
        return "{\"build_s\":" + (System.nanoTime() - start) / 1e9 + "}";
      }
      case "open":
        return open((String) command.get("dir"));
      case "queries": {
        List<Object> queries = (List<Object>) command.get("queries");
        operations = queries.stream().map(query -> Operation.of((Map<String, Object>) query)).toList();
        return "{\"supported\":" + operations.stream().map(operation -> operation != null).toList() + "}";
      }
      case "answers": {
        List<String> answers = new ArrayList<>();
        for (Operation operation : at(command)) answers.add(operation.run(mode, collection).json());
        return "{\"answers\":" + answers + "}";
      }
      case "hot": {
        List<Double> times = new ArrayList<>();
        for (Operation operation : at(command)) times.add(Stopwatch.hot(() -> operation.run(mode, collection)));
        return "{\"times\":" + times + "}";
      }
      case "mixed": {
        List<Double> times = new ArrayList<>();
        for (Operation operation : at(command)) times.add(Stopwatch.once(() -> operation.run(mode, collection)));
        return "{\"times\":" + times + "}";
      }
      default:
        return null;
    }
  }

  @SuppressWarnings("unchecked")
  private List<Operation> at(Map<String, Object> command) {
    List<Double> places = (List<Double>) command.get("places");
    return places.stream().map(place -> operations.get(place.intValue())).collect(Collectors.toList());
  }

  private String open(String folder) throws IOException {
    long start = System.nanoTime();
    collection = new Collection(folder);
    double seconds = (System.nanoTime() - start) / 1e9;
    long store = 0;
    long index = 0;
    try (Stream<Path> files = Files.list(Path.of(folder))) {
      for (Path file : files.toList()) {
        // Stored fields are .fdt (documents), .fdx and .fdm (where they are).
        if (file.getFileName().toString().matches(".*\\.fd[txm]")) store += Files.size(file);
        else index += Files.size(file);
      }
    }
    return String.format(
        "{\"open_s\":%f,\"docs\":%d,\"segments\":%d,\"index_bytes\":%d,\"store_bytes\":%d}",
        seconds, collection.searcher.getIndexReader().numDocs(), collection.segments, index, store);
  }
}
