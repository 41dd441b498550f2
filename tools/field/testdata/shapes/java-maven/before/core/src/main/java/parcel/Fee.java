package parcel;

/** What a parcel costs. */
public final class Fee {
  private Fee() {}

  /** The fee in cents for a weight in grams. */
  public static int of(int grams) {
    return 200 + grams / 10;
  }
}
