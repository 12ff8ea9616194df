import Testing

@testable import Measurement

@Suite("The highest rate that is kept up with")
struct SoakSaturationTests {
  @Test("Who is behind by as much all the time keeps up; who is ever more behind does not")
  func backlog() {
    func samples(_ behind: (Double) -> Double) -> BacklogSamples {
      var samples = BacklogSamples(rate: 2_000)
      for index in 0..<60 { samples.add(2_000 * behind(Double(index) * 0.05)) }
      return samples
    }
    #expect(samples { _ in 0.3 }.isBounded)
    // A pause of the machine, made up for.
    #expect(samples { (2.0..<2.3).contains($0) ? 0.9 : 0.1 }.isBounded)
    // A quarter more comes than goes.
    #expect(!samples { $0 * 0.25 }.isBounded)
    #expect(samples { $0 * 0.05 }.isBounded, "within the resolution of a trial")
    #expect(!BacklogSamples(rate: 1).isBounded, "nothing was seen")
  }
}
