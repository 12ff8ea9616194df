import CacheModel
import Workloads

/// An entity type of a recorded app as a scenario declares it.
struct TypeFit {
  /// The number of entities at the beginning.
  let count: Int
  /// The text of the size: a constant, or a distribution.
  let size: String
  let meanBytes: Double
  /// The name and the text of each field.
  let fields: [String]

  /// The minimum number of references for an estimate of their popularity.
  private static let leastReferences = 300
  /// The minimum exponent that can be distinguished from zero.
  private static let leastExponent = 0.15

  init(_ place: Int, _ workload: Workload, _ lists: ShownListFit) {
    let catalog = workload.catalog
    let type = DataModel.resourceType(ofType: place)
    func isOfType(_ revision: Revision) -> Bool {
      catalog.objects[Int(revision.object)].type == type
    }
    let initial = (0..<catalog.initialCount).filter { isOfType(catalog.revisions[$0]) }
    let later = (catalog.initialCount..<catalog.revisions.count)
      .filter { isOfType(catalog.revisions[$0]) }
    count = initial.count
    let sizes = (initial.isEmpty ? later : initial).map { Int(catalog.revisions[$0].bytes) }
    meanBytes = sizes.reduce(0.0) { $0 + Double($1) } / Double(max(1, sizes.count))
    size = Self.size(sizes.sorted(), mean: meanBytes)
    var isNew = [Bool](repeating: true, count: catalog.objects.count)
    for state in initial { isNew[Int(catalog.revisions[state].object)] = false }
    var created: [Int] = []
    for state in later where isNew[Int(catalog.revisions[state].object)] {
      isNew[Int(catalog.revisions[state].object)] = false
      created.append(state)
    }
    let counts = workload.initialCounts
    fields = workload.model.types[place].fields.map { field in
      if let text = lists.text(of: field, ofType: place) { return "\(field.name): \(text)" }
      let known = initial.isEmpty ? created : initial
      return "\(field.name): "
        + Self.content(
          field, known.map { Self.word(field, $0, catalog) },
          created: created.map { Self.word(field, $0, catalog) }, workload.model, counts, catalog)
    }
  }

  private static func word(_ field: ModelField, _ state: Int, _ catalog: Catalog) -> UInt64 {
    let slot = field.slot
    return catalog.values[Int(catalog.valueStarts[state]) + slot]
  }

  /// Returns a log-normal distribution if its mean equals that of the sizes, otherwise their quantiles.
  private static func size(_ sorted: [Int], mean: Double) -> String {
    guard let least = sorted.first, let most = sorted.last, least < most else {
      return "\(max(1, sorted.first ?? 100)) B"
    }
    let logs = sorted.map { PortableMath.log(Double(max(1, $0))) }
    let middle = logs.reduce(0, +) / Double(logs.count)
    let squares = logs.reduce(0) { $0 + ($1 - middle) * ($1 - middle) } / Double(logs.count)
    let expected = PortableMath.exp(middle + squares / 2)
    if sorted.count >= 100, abs(expected / mean - 1) < 0.03 {
      let p99 = PortableMath.exp(middle + SizeDistribution.normal99 * squares.squareRoot())
      let median = PortableMath.exp(middle)
      return "{median: \(Int(median.rounded())) B, p99: \(Int(p99.rounded(.up))) B}"
    }
    let steps = min(100, sorted.count)
    let table = (0...steps).map { sorted[(sorted.count - 1) * $0 / steps] }
    return "{table: [" + table.map { "\(max(1, $0)) B" }.joined(separator: ", ") + "]}"
  }

  private static func content(
    _ field: ModelField, _ words: [UInt64], created: [UInt64], _ model: DataModel, _ counts: [Int],
    _ catalog: Catalog
  ) -> String {
    let count = Double(max(1, words.count))
    switch field.content {
    case .integer:
      let numbers = words.map { OrderedWord.number($0) }
      let (least, most) = (numbers.min() ?? 0, numbers.max() ?? 0)
      let first = created.map { OrderedWord.number($0) }
      let starts =
        first.count >= 10 && first.min() == first.max() && least < most
        ? ", starts: \(first[0])" : ""
      return "{integer: \(least)..\(most)\(starts)}"
    case .time:
      let ages = words.reduce(0.0) { $0 - Double(OrderedWord.number($1)) } / count
      return ages >= 1_000
        ? "{time: \(FittedText.duration(min(ages * 1e6, 3_000 * 86_400e9)))}" : "time"
    case .text: return "text"
    case .flag:
      return "{flag: \(FittedText.share(Double(words.count { $0 != 0 }) / count))}"
    case .one(let type, _, let cascades):
      let chosen = words.map { UInt32(truncatingIfNeeded: $0) }.filter { $0 != Revision.noObject }
      return "{one: \(model.types[type].name)" + zipf(chosen, among: counts[type])
        + (cascades ? ", cascade: yes}" : "}")
    case .many(let type, _, _):
      let lists = words.map { LabelRange(word: $0) }
      let held = lists.reduce(0) { $0 + Int($1.count) }
      let chosen = lists.flatMap { catalog.labels[$0.indices] }
      let mean = FittedText.count(
        min(Double(held) / count, 1_000), Plural.of(model.types[type].name))
      return "{many: \(model.types[type].name), mean: \(mean)" + zipf(chosen, among: counts[type])
        + "}"
    }
  }

  private static func zipf(_ chosen: [UInt32], among count: Int) -> String {
    guard chosen.count >= leastReferences, count >= 10 else { return "" }
    let exponent = ZipfEstimate.exponent(ofRepeats: chosen, among: count)
    return exponent < leastExponent ? "" : ", zipf: \(FittedText.number(min(exponent, 4)))"
  }
}
