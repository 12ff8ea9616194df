extension TraceSummary {
  /// A figure with its name and unit.
  package struct Row: Hashable, Sendable {
    package enum Value: Hashable, Sendable {
      case count(Int)
      case real(Double)
      /// 0 to 1.
      case share(Double)
    }

    package var name: String
    package var value: Value
    /// Empty for a share and a bare number.
    package var unit: String
    /// How it is to be read.
    package var note: String
  }

  /// The figures that the trace has, in the order in which they are read.
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
