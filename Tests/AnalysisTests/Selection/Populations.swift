import Analysis
import CacheModel
import Foundation
import Testing

/// Contenders with known true means, and any number of their seeds.
protocol Population {
  /// The true mean of each contender's objective, as a share.
  var means: [Double] { get }
  /// The objective of each contender at the next seed.
  mutating func drawSeed() -> [Double]
}

extension Population {
  var names: [String] { means.indices.map { "contender-\($0)" } }

  /// Runs a selection among them by their objective alone.
  mutating func select(zone: Double = Replications.zone, plan: SeedPlan = .automatic) -> ShipVerdict
  {
    let rule = Goal(.maximise, .freshHitRatio(), zone: .absolute(zone), limits: nil)
    return Selection.verdict(by: rule, among: names, plan: plan) { demand in
      let rows = demand.seeds.map { _ in drawSeed() }
      return demand.contenders.compactMap { name in
        names.firstIndex(of: name).map { index in
          ObservedSample(
            contender: name, seedCount: rows.count,
            columns: [.init(.freshHitRatio(), rows.map { $0[index] })])
        }
      }
    }
  }
}

/// Normal errors: the effect of a seed on all, and on each.
struct NormalPopulation: Population {
  let means: [Double]
  /// Standard deviations of a seed's effect on each contender alone.
  private let own: [Double]
  private let common: Double
  private var random: RandomSource
  private var spare: Double?

  init(means: [Double], own: [Double], common: Double, seed: UInt64) {
    self.means = means
    self.own = own
    self.common = common
    random = RandomSource(seed: seed).substream("normal-population")
  }

  /// Contenders any two of which differ, from seed to seed, by the same standard deviation.
  ///
  /// The common part is three times as large, as in simulations.
  init(means: [Double], spreadOfDifferences spread: Double, seed: UInt64) {
    self.init(
      means: means, own: means.map { _ in spread * 0.5.squareRoot() }, common: 3 * spread,
      seed: seed)
  }

  mutating func drawSeed() -> [Double] {
    let shared = 0.5 + common * normal()
    return means.indices.map { means[$0] + shared + own[$0] * normal() }
  }

  /// Marsaglia's polar method, which gives two at a time.
  private mutating func normal() -> Double {
    if let held = spare {
      spare = nil
      return held
    }
    while true {
      let (x, y) = (2 * random.unit() - 1, 2 * random.unit() - 1)
      let square = x * x + y * y
      guard square > 0, square < 1 else { continue }
      let factor = (-2 * PortableMath.log(square) / square).squareRoot()
      spare = y * factor
      return x * factor
    }
  }
}

/// Contenders that are equal in nine seeds of ten; in the tenth all that tells them apart happens.
struct RarePopulation: Population {
  let means: [Double]
  private static let share = 0.1
  private var random: RandomSource
  private var normal: NormalPopulation

  /// - Parameters:
  ///   - means: Over all seeds.
  ///   - spread: Of a difference in the seeds that have one.
  ///   - seed: Of the random numbers.
  init(means: [Double], spread: Double, seed: UInt64) {
    self.means = means
    random = RandomSource(seed: seed).substream("rare-population")
    // Ten times the mean, if it happens once in ten.
    normal = NormalPopulation(
      means: means.map { $0 / Self.share }, spreadOfDifferences: spread, seed: seed)
  }

  mutating func drawSeed() -> [Double] {
    let seed = normal.drawSeed()
    return random.unit() < Self.share ? seed : means.map { _ in seed[0] }
  }
}

/// Seeds of a real scenario, drawn with replacement, each contender moved to a mean of its own.
struct ResampledPopulation: Population {
  let means: [Double]
  private let seeds: [[Double]]
  private var random: RandomSource

  /// - Precondition: every sample has the figure at the same seeds.
  init(_ samples: [ObservedSample], of figure: Figure, means: [Double], seed: UInt64) {
    let columns = zip(samples, means).map { sample, mean in
      let values = sample.complete(figure) ?? []
      let own = values.reduce(0, +) / Double(values.count)
      return values.map { $0 - own + mean }
    }
    self.means = means
    seeds = (columns.first ?? []).indices.map { seed in columns.map { $0[seed] } }
    random = RandomSource(seed: seed).substream("resampled-population")
  }

  mutating func drawSeed() -> [Double] { seeds[random.below(seeds.count)] }
}

/// A population with an exact copy of its last contender.
struct WithCopy<Original: Population>: Population {
  private var original: Original

  init(of original: Original) {
    self.original = original
  }

  var means: [Double] { original.means + original.means.suffix(1) }

  mutating func drawSeed() -> [Double] {
    let seed = original.drawSeed()
    return seed + seed.suffix(1)
  }
}

/// The files of `Data/`; its README names their authors.
enum SelectionData {
  /// One row for each line except the header, keyed by column.
  static func rows(of name: String) throws -> [[String: String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data/\(name)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let header = try #require(lines.first).split(separator: ",").map(String.init)
    return lines.dropFirst().map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(uniqueKeysWithValues: zip(header, cells))
    }
  }

  /// The results of 100 seeds of a scenario, one sample for each policy, in the order of its file.
  static func seeds(of scenario: String) throws -> [ObservedSample] {
    let rows = try rows(of: "\(scenario).csv")
    let policies = rows.filter { $0["seed"] == "1" }.compactMap { $0["policy"] }
    return try policies.map { policy in
      let own = rows.filter { $0["policy"] == policy }
      func column(_ name: String) throws -> [Double] {
        try own.map { try #require($0[name].flatMap(Double.init), "\(policy): \(name)") }
      }
      let reads = try column("reads")
      return ObservedSample(
        contender: policy, seedCount: own.count,
        columns: [
          .init(.freshHitRatio(), zip(try column("hit_fresh"), reads).map { $0 / $1 }),
          .init(.staleReadShare, zip(try column("hit_stale"), reads).map { $0 / $1 }),
          .init(
            .bytesReceived, zip(try column("bytes_fetched"), try column("bytes_pushed")).map(+)),
          .init(.peakMemory, try column("predicted_bytes_peak")),
        ])
    }
  }
}

extension ObservedSample {
  /// The same figures under another name.
  func renamed(_ name: String, figures: [Figure] = [.freshHitRatio(), .bytesReceived, .peakMemory])
    -> ObservedSample
  {
    ObservedSample(
      contender: name, seedCount: seedCount,
      columns: figures.compactMap { figure in complete(figure).map { Column(figure, $0) } })
  }
}
