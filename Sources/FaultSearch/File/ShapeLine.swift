import Workloads

/// The written form of a declared shape, one a line:
/// `shape types=both subject=labels star=yes length=<3 order=title,-length rows=4 paged=no`.
enum ShapeLine {
  static func line(_ shape: NoteShape) -> CaseLine {
    let order = shape.order.map { ($0.isDescending ? "-" : "") + $0.field.rawValue }
    let bound = shape.bound.map { "\($0.comparison.rawValue)\($0.length)" }
    var line = CaseLine(
      "shape", ("types", shape.types.rawValue), ("subject", shape.subject.rawValue),
      ("star", shape.star.map { $0 ? "yes" : "no" } ?? "-"), ("length", bound ?? "-"),
      ("order", order.joined(separator: ",")), ("rows", "\(shape.rows)"),
      ("paged", shape.isPaged ? "yes" : "no"))
    if shape.showsSummaries { line.append("shows", Level.summary.rawValue) }
    return line
  }

  /// How much of a note a shape shows; the whole where it is not written.
  private enum Level: String, CaseIterable {
    case summary, whole
  }

  /// A world without declared shapes has no line of them.
  static func shapes(_ lines: inout ArraySlice<CaseLine>) throws(CaseError) -> [NoteShape] {
    var shapes: [NoteShape] = []
    while var line = lines.first, line.verb == "shape" {
      guard shapes.count < NoteShape.count else {
        throw line.error("the case has more than \(NoteShape.count) shapes", "remove it")
      }
      lines.removeFirst()
      shapes.append(try shape(&line))
      try line.end()
    }
    return shapes
  }

  private static func shape(_ line: inout CaseLine) throws(CaseError) -> NoteShape {
    var shape = NoteShape(
      types: try line.choice("types", NoteShape.Types.self),
      subject: try line.choice("subject", NoteShape.Subject.self),
      star: try line.field("star", as: "yes|no|-") { text -> Bool?? in
        switch text {
        case "-": .some(nil)
        case "yes": true
        case "no": false
        default: nil
        }
      },
      bound: try line.field("length", as: "- or a comparison, as <3") { text in
        text == "-" ? NoteShape.Bound??.some(nil) : bound(text).map { .some($0) }
      },
      order: try line.field("order", as: "one or two fields, as title,-length") { orders($0) },
      rows: try line.number("rows", in: 1...100),
      isPaged: try line.field("paged", as: "yes|no") { ["yes": true, "no": false][$0] })
    shape.showsSummaries = try line.optionalChoice("shows", Level.self) == .summary
    return shape
  }

  private static func bound(_ text: String) -> NoteShape.Bound? {
    // The longest word first: "<" begins "<=" too.
    let comparisons = QueryShape.Comparison.allCases.sorted {
      $0.rawValue.count > $1.rawValue.count
    }
    guard let comparison = comparisons.first(where: { text.hasPrefix($0.rawValue) }),
      let length = Int(text.dropFirst(comparison.rawValue.count)), (0...10).contains(length)
    else { return nil }
    return NoteShape.Bound(comparison: comparison, length: length)
  }

  private static func orders(_ text: String) -> [NoteShape.Order]? {
    let words = text.split(separator: ",", omittingEmptySubsequences: false)
    let orders = words.compactMap { word -> NoteShape.Order? in
      let isDescending = word.hasPrefix("-")
      return NoteShape.Field(rawValue: String(word.dropFirst(isDescending ? 1 : 0))).map {
        NoteShape.Order(field: $0, isDescending: isDescending)
      }
    }
    return (1...2).contains(words.count) && orders.count == words.count ? orders : nil
  }
}
