import CacheModel
import FoundationEssentials
import Testing

@testable import RealTime

@Suite("What devices do")
struct DevicePlanTests {
  private func plan(devices: Int, mutations: Int, batch: Int = 1) -> DevicePlan {
    DevicePlan(
      library: FileLibrary(directories: 4, filesPerDirectory: 25, seed: 1), seed: 1,
      devices: devices, mutations: mutations, rate: 1_000, filesPerMutation: batch)
  }

  @Test("The mutations are shared out, none is lost", arguments: [1, 3, 7, 100])
  func shares(devices: Int) {
    let plan = plan(devices: devices, mutations: 50)
    let shares = (0..<devices).map(plan.mutations(ofDevice:))
    #expect(shares.reduce(0, +) == 50)
    #expect((shares.max() ?? 0) - (shares.min() ?? 0) <= 1)
    #expect(plan.lastOffset == (0..<devices).flatMap { plan.arrivals(ofDevice: $0).offsets }.max())
  }

  @Test("Every device has its own arrivals, and together they have the rate")
  func arrivals() {
    let plan = plan(devices: 4, mutations: 8_000)
    let all = (0..<4).map { plan.arrivals(ofDevice: $0).offsets }
    #expect(Set(all).count == 4)
    for offsets in all {
      // 2,000 arrivals at 250 a second take 8 s; three standard deviations are 0.54 s.
      #expect(abs((offsets.last ?? 0) - 8_000_000_000) < 600_000_000)
    }
  }

  @Test("Neighbouring mutations change different files, and all files have their turn")
  func files() {
    let plan = plan(devices: 3, mutations: 300)
    let files = (0..<100).flatMap { index in
      (0..<3).flatMap { plan.files(ofMutation: index, device: $0) }
    }
    for start in stride(from: 0, to: 300, by: 100) {
      #expect(Set(files[start..<start + 100]).count == 100)
    }
    let batches = self.plan(devices: 1, mutations: 10, batch: 40)
    #expect(Set(batches.files(ofMutation: 2, device: 0)).count == 40)
  }

  @Test(
    "If only the first files are changed, all of them are, and no others", arguments: [1, 40])
  func changedFiles(batch: Int) {
    var plan = plan(devices: 2, mutations: 400, batch: batch)
    plan.changedFiles = 30
    #expect(plan.filesPerMutation == min(batch, 30))
    let files = (0..<2).flatMap { device in
      (0..<200).flatMap { plan.files(ofMutation: $0, device: device) }
    }
    #expect(Set(files) == Set(0..<30))
  }

  @Test("A line is the message that it was made of, whenever it is sent", arguments: [1, 3])
  func lines(batch: Int) throws {
    let plan = plan(devices: 2, mutations: 10, batch: batch)
    let script = try MutationScript(plan: plan, device: 1)
    #expect(script.count == 5 && Set(script.tokens).count == 5)
    for index in 0..<5 {
      let line = script.line(index, intended: -5, sent: .max)
      #expect(line.last == UInt8(ascii: "\n"))
      guard case .mutation(let mutation) = try SyncDecoder().message(from: line.dropLast()) else {
        Issue.record("no mutation")
        return
      }
      #expect(mutation.token == script.tokens[index])
      #expect(mutation.intended == -5 && mutation.sent == .max && mutation.device == 2)
      #expect(
        mutation.files
          == plan.files(ofMutation: index, device: 1).map {
            plan.library.payload(ofFile: $0, revision: index * 2 + 2)
          })
    }
    // Started again, a device sends the same.
    #expect(try MutationScript(plan: plan, device: 1).tokens == script.tokens)
    #expect(try MutationScript(plan: plan, device: 0).tokens != script.tokens)
  }
}

@Suite("Arrivals")
struct ArrivalProcessTests {
  private func arrivals(seed: UInt64, count: Int = 20_000) -> [Int64] {
    ArrivalProcess(count: count, perSecond: 1_000, random: RandomSource(seed: seed)).offsets
  }

  @Test("The seed decides")
  func seeded() {
    #expect(arrivals(seed: 3) == arrivals(seed: 3))
    #expect(arrivals(seed: 3) != arrivals(seed: 4))
    #expect(arrivals(seed: 3, count: 10) == Array(arrivals(seed: 3).prefix(10)))
  }

  @Test("Intervals are exponential: mean as asked, variance the square of it, no memory")
  func distribution() {
    let offsets = arrivals(seed: 1)
    let gaps = zip([0] + offsets, offsets).map { Double($1 - $0) }
    #expect(gaps.allSatisfy { $0 >= 0 })
    let mean = gaps.reduce(0, +) / Double(gaps.count)
    let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
    // 20,000 draws: five standard errors are 3.5 % of the mean.
    #expect(abs(mean - 1_000_000) < 35_000)
    #expect(abs(variance / (mean * mean) - 1) < 0.1)
    let short = gaps.count { $0 < 693_147 }
    #expect(abs(Double(short) / Double(gaps.count) - 0.5) < 0.02)
    // Neighbouring intervals are not correlated.
    let products = zip(gaps, gaps.dropFirst()).map { ($0 - mean) * ($1 - mean) }
    #expect(abs(products.reduce(0, +) / Double(products.count) / variance) < 0.04)
  }
}
