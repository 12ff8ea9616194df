import Text

/// A type's summary as it is written.
struct SummarySection: ScenarioSection {
  var has: SourceNode?
  var size: SourceNode?

  static let fields: [Field<SummarySection>] = [
    .node("has", \.has, "the fields of the type that are seen in it", form: .several("field"))
      .required(),
    .node(
      "size", \.size, "its bytes as JSON, or their share of the whole's",
      form: .named("size, or share")
    )
    .required(),
  ]
}

extension ModelReader {
  /// The summary of a type whose fields are known.
  func summary(
    _ node: SourceNode, ofType type: Int, _ reader: inout ScenarioReader
  ) -> EntitySummary? {
    var section = SummarySection()
    reader.read(node, into: &section)
    guard let has = section.has, let size = section.size else { return nil }
    var fields: [Int] = []
    for node in reader.elements(of: has) {
      guard let name = reader.scalar(node),
        let field = field(name, ofType: type, at: node.place, &reader)
      else { continue }
      if fields.contains(field) {
        reader.report(node.place, "`\(name)` is named twice", "remove one of the two")
      } else {
        fields.append(field)
      }
    }
    if reader.elements(of: has).isEmpty {
      reader.report(has.place, "nothing is seen in this summary", "name a field of the type")
    }
    guard let size = summarySize(size, ofType: type, &reader) else { return nil }
    return EntitySummary(fields: fields.sorted(), size: size)
  }

  private func summarySize(
    _ node: SourceNode, ofType type: Int, _ reader: inout ScenarioReader
  ) -> EntitySummary.Size? {
    guard let text = reader.scalar(node) else { return nil }
    if text.utf8.last == UInt8(ascii: "%") {
      return reader.real(node, .share, in: 0.001...1).map {
        .share(millionths: Int(($0 * 1_000_000).rounded()))
      }
    }
    guard let size = reader.whole(node, .size, in: 1...Int64(SizeDistribution.most)) else {
      return nil
    }
    if case .fixed(let whole) = types[type].size, whole > 1, size > whole {
      reader.report(
        node.place, "the summary is larger than the whole, which has \(Words.size(whole))",
        "lower it, or write a share of the whole's: `20 %`")
    }
    return .fixed(Int(size))
  }

  /// Whether a shape shows summaries: by default and with `whole` it shows all of its rows.
  func showsSummaries(
    _ node: SourceNode, _ shape: QueryShape, _ reader: inout ScenarioReader
  ) -> Bool {
    let words = ["summary", "whole"]
    guard reader.name(node, what: "part of an entity", among: words) == "summary" else {
      return false
    }
    for type in shape.types where types[type].summary == nil && !areSummariesUnread(ofType: type) {
      reader.report(
        node.place, "`\(types[type].name)` has no summary to show",
        "give the type one: `summary: {has: [FIELD], size: 20 %}`")
    }
    return true
  }

  /// Reports summaries that are not shown.
  func checkSummaries(_ shapes: [QueryShape], _ reader: inout ScenarioReader) {
    for type in types.indices where types[type].summary != nil {
      let isShown = shapes.contains { $0.showsSummaries && $0.types.contains(type) }
      guard !isShown else { continue }
      reader.report(
        summaryPlaces[type], "no query shows the summary of `\(types[type].name)`",
        "write `shows: summary` in a query that lists it, or remove the summary")
    }
  }
}
