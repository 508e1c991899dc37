import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads JSON: objects to maps, arrays to lists, numbers to doubles. For trusted input of one line. */
final class Json {
  private final String text;
  private int at;

  private Json(String text) {
    this.text = text;
  }

  static Object parse(String text) {
    return new Json(text).value();
  }

  static String quote(String text) {
    return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"") + '"';
  }

  private Object value() {
    skipSpace();
    return switch (text.charAt(at)) {
      case '{' -> object();
      case '[' -> array();
      case '"' -> string();
      default -> literal();
    };
  }

  private Map<String, Object> object() {
    Map<String, Object> members = new LinkedHashMap<>();
    at++;
    while (!closes('}')) {
      String name = string();
      skipSpace();
      at++;
      members.put(name, value());
    }
    return members;
  }

  private List<Object> array() {
    List<Object> values = new ArrayList<>();
    at++;
    while (!closes(']')) values.add(value());
    return values;
  }

  /** Moves past a comma, or past the end of the list or object, which it tells. */
  private boolean closes(char end) {
    skipSpace();
    if (text.charAt(at) == ',') at++;
    skipSpace();
    if (text.charAt(at) != end) return false;
    at++;
    return true;
  }

  private String string() {
    StringBuilder read = new StringBuilder();
    for (at++; text.charAt(at) != '"'; at++) {
      char unit = text.charAt(at);
      read.append(unit == '\\' ? escaped() : unit);
    }
    at++;
    return read.toString();
  }

  private char escaped() {
    char letter = text.charAt(++at);
    return switch (letter) {
      case 'n' -> '\n';
      case 't' -> '\t';
      case 'r' -> '\r';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case 'u' -> {
        at += 4;
        yield (char) Integer.parseInt(text.substring(at - 3, at + 1), 16);
      }
      default -> letter;
    };
  }

  private Object literal() {
    int start = at;
    while (at < text.length() && ",]} \n".indexOf(text.charAt(at)) < 0) at++;
    String word = text.substring(start, at);
    return switch (word) {
      case "true" -> true;
      case "false" -> false;
      case "null" -> null;
      default -> Double.valueOf(word);
    };
  }

  private void skipSpace() {
    while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++;
  }
}
