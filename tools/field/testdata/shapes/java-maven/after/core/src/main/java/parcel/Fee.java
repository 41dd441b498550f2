package parcel;

/** What a parcel costs. */
public final class Fee {
  private static final int HEAVY = 10_000;

  private Fee() {}

  /** The fee in cents for a weight in grams; above 10 kg it is twice as much. */
  public static int of(int grams) {
    int fee = 200 + grams / 10;
    return grams > HEAVY ? 2 * fee : fee;
  }
}
