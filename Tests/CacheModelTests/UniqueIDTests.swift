import CacheModel
import Testing

@Suite("UniqueID")
struct UniqueIDTests {
  private static let text = "01234567-89ab-cdef-fedc-ba9876543210"

  @Test("is read and written in the form of RFC 9562, whatever the case")
  func form() {
    let id = UniqueID(Self.text)
    #expect(id == UniqueID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210))
    #expect(id?.description == Self.text)
    #expect(UniqueID(Self.text.uppercased()) == id)
    #expect(UniqueID(Substring(Self.text)) == id)
  }

  @Test("every identifier survives being written and read")
  func roundTrip() {
    var random = RandomSource(seed: 1)
    for _ in 0..<500 {
      let id = UniqueID(high: random.next(), low: random.next())
      #expect(UniqueID(id.description) == id)
    }
    let ends = [UniqueID(high: 0, low: 0), UniqueID(high: .max, low: .max)]
    for id in ends { #expect(UniqueID(id.description) == id) }
  }

  @Test(
    "anything else is refused",
    arguments: [
      "", "0", text + "0", String(text.dropLast()), "{\(text)}",
      "0123456789abcdeffedcba9876543210", "01234567-89ab-cdef-fedc-ba987654321g",
      "012345678-9ab-cdef-fedc-ba9876543210", "01234567_89ab_cdef_fedc_ba9876543210",
      "01234567-89ab-cdef-fedc-ba98765432-0", "٠1234567-89ab-cdef-fedc-ba987654321",
    ])
  func malformed(text: String) {
    #expect(UniqueID(text) == nil)
  }

  @Test("order is that of the written form")
  func order() {
    var random = RandomSource(seed: 2)
    for _ in 0..<500 {
      let left = UniqueID(high: random.next() & 3, low: random.next())
      let right = UniqueID(high: random.next() & 3, low: random.next())
      #expect((left < right) == (left.description < right.description))
    }
  }
}
