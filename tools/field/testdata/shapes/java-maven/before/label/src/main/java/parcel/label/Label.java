package parcel.label;

import parcel.Fee;

/** What is printed on a parcel. */
public final class Label {
  private Label() {}

  public static String text(int grams) {
    return grams + " g, " + Fee.of(grams) + " ct";
  }
}
