import ResultModel
import Testing

@testable import Reporting

@Suite("Numbers for people")
struct HumanNumberTests {
  @Test(
    "rounded, in a unit that suits the size",
    arguments: [
      (MetricValue.integer(0), MetricUnit.count, "0"),
      (.integer(1_234_567), .count, "1,234,567"), (.integer(-1_000), .count, "-1,000"),
      (.real(0.25), .count, "0.3"), (.real(0.942), .ratio, "94.2 %"), (.real(1), .ratio, "100.0 %"),
      (.integer(999), .bytes, "999 B"), (.integer(12_345_678), .bytes, "12.3 MB"),
      (.integer(999_960), .bytes, "1.0 MB"), (.integer(1_200), .nanoseconds, "1.2 µs"),
      (.integer(850), .nanoseconds, "850 ns"), (.integer(16_666_667), .nanoseconds, "16.7 ms"),
      (.integer(300_000_000_000), .nanoseconds, "300.0 s"),
      (.real(9_800_000), .perSecond, "9.8 M/s"), (.integer(640), .bytesPerEntity, "640 B"),
      (.integer(.max), .bytes, "9,223,372.0 TB"),
      (.integer(.min), .count, "-9.223372036854776e+18"),
      (.real(-0.000_01), .ratio, "0.0 %"),
    ])
  func texts(value: MetricValue, unit: MetricUnit, expected: String) {
    #expect(HumanNumber.text(value, unit: unit) == expected)
  }

  @Test("missing is a dash in every unit, never a zero", arguments: MetricUnit.allCases)
  func missing(unit: MetricUnit) {
    #expect(HumanNumber.text(nil, unit: unit) == "–")
  }

  @Test("how many times as much is a factor")
  func factor() {
    #expect(HumanNumber.text(.real(1.054), unit: .factor) == "1.05 ×")
  }
}
