package parcel;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class FeeTest {
  @Test
  void growsWithTheWeight() {
    assertEquals(200, Fee.of(0));
    assertEquals(250, Fee.of(500));
  }
}
