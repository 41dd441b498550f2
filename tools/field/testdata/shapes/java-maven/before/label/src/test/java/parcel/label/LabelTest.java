package parcel.label;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class LabelTest {
  @Test
  void saysWeightAndFee() {
    assertEquals("100 g, 210 ct", Label.text(100));
  }
}
