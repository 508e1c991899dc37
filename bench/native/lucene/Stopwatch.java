import java.util.Arrays;

/** Timing, the same in every runner ({@code bench/peers/runners/stopwatch.ts} is its twin). */
final class Stopwatch {
  private static final double WARM_UP_SECONDS = 0.0005;
  private static final double BATCH_SECONDS = 0.0003;
  private static final int BATCHES = 5;
  private static final double CALLS_PER_BATCH_MAX = 2000;
  /** From here on one warm-up call and fewer batches will do. */
  private static final double SLOW_SECONDS = 0.02;

  interface Call {
    Object run() throws Exception;
  }

  /** Keeps answers from being optimized away. */
  static volatile Object blackHole;

  /** Microseconds a call takes when it is repeated: the median of several batches. */
  static double hot(Call call) throws Exception {
    long start = System.nanoTime();
    int calls = 0;
    double elapsed = 0;
    do {
      blackHole = call.run();
      calls++;
      elapsed = secondsSince(start);
    } while (elapsed < SLOW_SECONDS && (elapsed < WARM_UP_SECONDS || calls < 3));
    double perCall = elapsed / calls;
    int callsPerBatch = (int) Math.min(Math.max(1, Math.ceil(BATCH_SECONDS / perCall)), CALLS_PER_BATCH_MAX);
    double[] means = new double[perCall >= SLOW_SECONDS ? 2 : BATCHES];
    for (int batch = 0; batch < means.length; batch++) {
      long batchStart = System.nanoTime();
      for (int i = 0; i < callsPerBatch; i++) blackHole = call.run();
      means[batch] = secondsSince(batchStart) * 1e6 / callsPerBatch;
    }
    Arrays.sort(means);
    int middle = means.length / 2;
    return means.length % 2 == 1 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
  }

  /** Microseconds that a single call takes. */
  static double once(Call call) throws Exception {
    long start = System.nanoTime();
    blackHole = call.run();
    return secondsSince(start) * 1e6;
  }

  private static double secondsSince(long start) {
    return (System.nanoTime() - start) / 1e9;
  }

  private Stopwatch() {}
}
