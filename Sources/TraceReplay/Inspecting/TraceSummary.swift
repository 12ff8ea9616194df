import EvictionPolicies

package struct TraceSummary: Hashable, Sendable {
  package let name: String
  package let lines: Int
  package let distinct: Int
  /// The numbers of lines by operation, in the order of ``TraceOperation``.
  package let operations: [Int]
  /// The number of keys that occur once.
  package let oneHitWonders: Int
  /// The number of lines with the most popular key.
  package let mostPopular: Int
  package let zipf: ZipfFit?
  /// The quantiles of reuse distances: the number of distinct keys since a get's previous use, including
  /// itself.
  package let reuseDistances: Quantiles?
  /// The numbers of distinct keys in windows of a hundredth, and a tenth, of the lines.
  package let workingSets: [WorkingSet]
  package let sizes: Sizes?
  package let lifetimes: Lifetimes?
  /// The time from the first to the last line in nanoseconds, if the trace has times.
  package let duration: Int64?
  /// The number of lines with a time before the previous one.
  package let backwardSteps: Int

  package struct Quantiles: Hashable, Sendable {
    package let count: Int
    package let p50: Int
    package let p90: Int
    package let p99: Int
  }

  package struct WorkingSet: Hashable, Sendable {
    package let window: Int
    package let mean: Double
    package let max: Int
  }

  package struct Sizes: Hashable, Sendable {
    /// The sum of every key's last known size.
    package let footprint: Int
    /// The sum of all known sizes.
    package let requested: Int
    package let mean: Double
    package let largest: Int
    /// The number of lines without a known size.
    package let unknown: Int
  }

  package struct Lifetimes: Hashable, Sendable {
    /// The number of lines with a lifetime.
    package let count: Int
    /// The median in nanoseconds.
    package let median: Int64
  }

  /// Computes the statistics; at most O(lines · log), with about 24 bytes per key in addition to the trace.
  package init(of trace: InternedTrace) {
    name = trace.name
    lines = trace.ids.count
    distinct = trace.distinct
    var operations = [Int](repeating: 0, count: TraceOperation.allCases.count)
    if trace.operations.isEmpty { operations[0] = trace.ids.count }
    for operation in trace.operations { operations[Int(operation.rawValue)] += 1 }
    self.operations = operations

    var counts = [UInt32](repeating: 0, count: trace.distinct)
    for id in trace.ids { counts[Int(id)] += 1 }
    oneHitWonders = counts.count { $0 == 1 }
    counts.sort(by: >)
    mostPopular = Int(counts.first ?? 0)
    zipf = ZipfFit(descendingCounts: counts)

    reuseDistances = Quantiles(LRUCurve(of: trace, updates: .unseen).depths)
    workingSets = [100, 10].compactMap { WorkingSet(of: trace, window: trace.ids.count / $0) }
    sizes = Sizes(of: trace)
    lifetimes = Lifetimes(of: trace)
    duration = trace.times.min().flatMap { first in trace.times.max().map { $0 - first } }
    backwardSteps = zip(trace.times, trace.times.dropFirst()).count { $1 < $0 }
  }
}

extension TraceSummary.Quantiles {
  /// Computes quantiles from the frequency of each value; `nil` without values.
  init?(_ occurrences: [UInt32]) {
    let total = occurrences.reduce(0) { $0 + Int($1) }
    guard total > 0 else { return nil }
    count = total
    func quantile(_ percent: Int) -> Int {
      var rest = (total * percent + 99) / 100
      for (value, occurrences) in occurrences.enumerated() {
        rest -= Int(occurrences)
        if rest <= 0 { return value }
      }
      return occurrences.count - 1
    }
    p50 = quantile(50)
    p90 = quantile(90)
    p99 = quantile(99)
  }
}

extension TraceSummary.WorkingSet {
  /// Measures adjacent complete windows; `nil` if a window has no lines.
  init?(of trace: InternedTrace, window: Int) {
    guard window > 0 else { return nil }
    self.window = window
    let windows = trace.ids.count / window
    var lastWindow = [Int32](repeating: -1, count: trace.distinct)
    var sum = 0
    var largest = 0
    for index in 0..<windows {
      var distinct = 0
      for id in trace.ids[index * window..<(index + 1) * window] where lastWindow[Int(id)] != index
      {
        lastWindow[Int(id)] = Int32(index)
        distinct += 1
      }
      sum += distinct
      largest = Swift.max(largest, distinct)
    }
    mean = Double(sum) / Double(windows)
    max = largest
  }
}

extension TraceSummary.Sizes {
  init?(of trace: InternedTrace) {
    guard !trace.weights.isEmpty else { return nil }
    var latest = [Int32](repeating: 0, count: trace.distinct)
    var sum = 0
    var largest = 0
    var unknown = 0
    for (id, weight) in zip(trace.ids, trace.weights) {
      if weight == 0 {
        unknown += 1
      } else {
        latest[Int(id)] = weight
        sum += Int(weight)
        largest = max(largest, Int(weight))
      }
    }
    footprint = latest.reduce(0) { $0 + Int($1) }
    requested = sum
    mean = Double(sum) / Double(max(1, trace.ids.count - unknown))
    self.largest = largest
    self.unknown = unknown
  }
}

extension TraceSummary.Lifetimes {
  init?(of trace: InternedTrace) {
    let known = trace.lifetimes.filter { $0 > 0 }.sorted()
    guard !known.isEmpty else { return nil }
    count = known.count
    median = known[known.count / 2]
  }
}

extension TraceSummary {
  package struct Row: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case count(Int)
      case real(Double)
      /// A share from 0 to 1.
      case share(Double)
    }

    package var name: String
    package var value: Value
    /// The unit; empty for a share or a plain number.
    package var unit: String
    package var note: String
  }

  package var rows: [Row] {
    var rows: [Row] = []
    func add(_ name: String, _ value: Row.Value, _ unit: String = "", _ note: String = "") {
      rows.append(Row(name: name, value: value, unit: unit, note: note))
    }
    func share(_ part: Int, of whole: Int) -> Row.Value {
      .share(Double(part) / Double(max(1, whole)))
    }
    add("requests", .count(lines), "lines")
    for (name, count) in zip(["get", "set", "update", "delete"], operations)
    where count > 0 || operations.dropFirst().contains(where: { $0 > 0 }) {
      add("\(name)_share", share(count, of: lines), "", "\(count) of \(lines) lines")
    }
    add("distinct_keys", .count(distinct), "keys")
    add("requests_per_key", .real(Double(lines) / Double(max(1, distinct))))
    add("one_hit_wonders", .count(oneHitWonders), "keys", "named by one line")
    add("one_hit_wonder_share", share(oneHitWonders, of: distinct), "", "of keys")
    add("most_popular_share", share(mostPopular, of: lines), "", "of lines")
    if let zipf {
      add(
        "zipf_exponent", .real(zipf.exponent), "",
        "maximum likelihood over observed ranks; biased upward where most keys are rare")
      add("zipf_standard_error", .real(zipf.standardError), "", "of chance alone")
      add("zipf_distance", .real(zipf.distance), "", "Kolmogorov-Smirnov; 0: exactly Zipf's law")
    }
    if let reuseDistances {
      let note = "distinct keys since the last use, itself included"
      add("reuse_share", share(reuseDistances.count, of: operations[0]), "", "gets used before")
      add("reuse_distance_p50", .count(reuseDistances.p50), "keys", note)
      add("reuse_distance_p90", .count(reuseDistances.p90), "keys")
      add("reuse_distance_p99", .count(reuseDistances.p99), "keys")
    }
    for (name, set) in zip(["working_set_1_percent", "working_set_10_percent"], workingSets) {
      add(name, .real(set.mean), "keys", "mean over windows of \(set.window) lines")
      add("\(name)_max", .count(set.max), "keys", "in one of these windows")
    }
    if let sizes {
      add("footprint", .count(sizes.footprint), "bytes", "last known size of every key")
      add("bytes_requested", .count(sizes.requested), "bytes")
      add("size_mean", .real(sizes.mean), "bytes", "per line")
      add("size_largest", .count(sizes.largest), "bytes")
      if sizes.unknown > 0 { add("size_unknown_share", share(sizes.unknown, of: lines)) }
    }
    if let lifetimes {
      add("lifetime_share", share(lifetimes.count, of: lines), "", "lines with a lifetime")
      add("lifetime_median", .real(Double(lifetimes.median) / 1e9), "s")
    }
    if let duration {
      add("duration", .real(Double(duration) / 1e9), "s")
      add("backward_steps", .count(backwardSteps), "lines", "whose time is before the line above")
    }
    return rows
  }
}
