import CacheModel

/// A finished chart: title, how to read it, and the source of its figures.
struct Picture: Sendable {
  struct Source: Sendable {
    /// The sample of each value, as in `10 seeds from 1`.
    var sample: String
    var noiseClass: String
    /// The file and its rows.
    var rows: String
    /// The command that creates exactly these rows.
    var command: Command
  }

  /// A command, or its anchor on the page.
  enum Command: Sendable {
    case text(String)
    case place(Anchor)
  }

  var title: String
  /// The drawing; `nil` if there is nothing to draw.
  var drawing: Drawing?
  /// What is missing, and the command that creates it, instead of a drawing.
  var missing: String?
  /// One sentence.
  var howToRead: String
  var source: Source?
  /// Whether it is kept when space is limited.
  var isMain = false

  /// An SVG with a text alternative.
  struct Drawing: Sendable {
    var width: Double
    var height: Double
    var description: String
    var content: [Node]

    func node(title: String) -> Node {
      .tag(
        "svg",
        [
          Attribute("viewBox", "0 0 \(Coordinate.text(width)) \(Coordinate.text(height))"),
          Attribute("role", "img"),
        ],
        [.tag("title", [], title), .tag("desc", [], description)] + content)
    }
  }

  /// Returns a chart without measurements.
  static func missing(_ title: String, _ reason: String) -> Picture {
    Picture(title: title, missing: reason, howToRead: "")
  }

  /// The same chart, kept when space is limited.
  var main: Picture {
    var picture = self
    picture.isMain = true
    return picture
  }

  var node: Node {
    var parts: [Node] = [.tag("h4", [], title)]
    if let drawing {
      parts.append(drawing.node(title: title))
      parts.append(.tag("p", [.class("how")], howToRead))
    } else {
      parts.append(.tag("p", [.class("none")], missing ?? "not measured"))
    }
    if let source, drawing != nil {
      let command: Node =
        switch source.command {
        case .text(let command): .tag("code", [], command)
        case .place(let anchor): .tag("a", [.href(.anchor(anchor))], "command")
        }
      parts.append(
        .tag(
          "p", [.class("src")],
          [.text("\(source.sample) · \(source.noiseClass) · \(source.rows) · "), command]))
    }
    return .tag("figure", [], parts)
  }
}

enum Draw {
  static func line(_ path: String, _ classes: String) -> Node {
    .tag("path", [.class(classes), Attribute("d", path)])
  }

  /// Returns a text element.
  ///
  /// - Parameters:
  ///   - text: the text.
  ///   - x: its beginning, end, or middle.
  ///   - y: its baseline.
  ///   - classes: its classes in the style sheet.
  ///   - anchor: `end` or `middle`; `nil`: the beginning.
  ///   - length: the width that its glyphs are condensed to; `nil`: their own.
  /// - Returns: the element.
  static func text(
    _ text: String, x: Double, y: Double, _ classes: String = "", anchor: String? = nil,
    length: Double? = nil
  ) -> Node {
    var attributes = [Attribute("x", x), Attribute("y", y)]
    let names = [classes, anchor.map { $0 == "end" ? "e" : "m" } ?? ""].filter { !$0.isEmpty }
    if !names.isEmpty { attributes.append(.class(names.joined(separator: " "))) }
    if let length {
      attributes += [
        Attribute("textLength", length), Attribute("lengthAdjust", "spacingAndGlyphs"),
      ]
    }
    return .tag("text", attributes, text)
  }

  /// Returns the width that names beside a plot need, an approximation; at most ``mostRoom``.
  static func room(_ names: [String], isBold: Bool = false) -> Double {
    min(names.map { width($0, isBold: isBold) }.reduce(0, max), mostRoom)
  }

  /// Longer names are condensed, so that a plot keeps half of its chart.
  static let mostRoom = 160.0

  private static func width(_ name: String, isBold: Bool) -> Double {
    Double(name.count) * (isBold ? 6.6 : 6.0)
  }

  /// Returns a name beside a plot, condensed to ``mostRoom``.
  static func name(
    _ name: String, x: Double, y: Double, ink: String, isBold: Bool = false, anchor: String? = nil
  ) -> Node {
    text(
      name, x: x, y: y, isBold ? "nm \(ink) b" : "nm \(ink)", anchor: anchor,
      length: width(name, isBold: isBold) > mostRoom ? mostRoom : nil)
  }

  /// Returns the left end of a plot that leaves room for the texts of its ticks.
  static func left(ofTicks texts: [String]) -> Double {
    max(44, Double(texts.map(\.count).reduce(0, max)) * 6.9 + 8)
  }

  static func marker(_ look: PolicyLooks.Look, x: Double, y: Double) -> Node {
    .tag(
      "use",
      [.href(.anchor(look.symbol)), Attribute("x", x), Attribute("y", y), .class(look.ink)])
  }

  /// Returns `M x y` and the like.
  static func move(_ x: Double, _ y: Double) -> String {
    "M\(Coordinate.text(x)) \(Coordinate.text(y))"
  }

  static func to(_ x: Double, _ y: Double) -> String {
    "L\(Coordinate.text(x)) \(Coordinate.text(y))"
  }

  /// Returns a path through the points; a missing point is a gap, and a single one between gaps a dot.
  ///
  /// Each step is relative to the previous one, and steps on one level are merged.
  static func path(_ points: [(x: Double, y: Double)?]) -> String {
    var path = ""
    var last: (x: Int, y: Int)?
    var level = 0
    func endLevel() -> String { level == 0 ? "" : "h\(level)" }
    for (index, point) in points.enumerated() {
      guard let point else {
        path += endLevel()
        (level, last) = (0, nil)
        continue
      }
      let (x, y) = (Coordinate.whole(point.x), Coordinate.whole(point.y))
      if let from = last {
        if y == from.y {
          level += x - from.x
        } else {
          path += endLevel() + "l\(x - from.x)" + (y > from.y ? " " : "") + "\(y - from.y)"
          level = 0
        }
      } else {
        path += "M\(x) \(y)"
        if index + 1 == points.count || points[index + 1] == nil { path += "h.1" }
      }
      last = (x, y)
    }
    return path + endLevel()
  }

  /// Returns horizontal lines across a plot at each tick.
  static func grid(_ ticks: [Double], _ scale: Scale, from: Double, to: Double) -> Node {
    line(
      ticks.map {
        "\(move(from, scale.place($0)))H\(Coordinate.text(to))"
      }.joined(), "gr")
  }

  /// Returns the ticks whose texts do not overlap the previous one.
  static func spaced(_ ticks: [Double], _ scale: Scale, text: (Double) -> String) -> [Double] {
    var end = -Double.infinity
    return ticks.filter { tick in
      // An approximation of the text's width.
      let half = Double(short(text(tick)).count) * 3.4 + 3
      guard scale.place(tick) - half > end else { return false }
      end = scale.place(tick) + half
      return true
    }
  }

  /// Returns a round number of an axis, without redundant decimals.
  static func short(_ text: String) -> String { text.replacing(".0 ", with: " ") }

  /// Returns positions for labels that would overlap: in order, at least `gap` apart, within a range.
  static func spread(_ wanted: [Double], gap: Double, within range: ClosedRange<Double>) -> [Double]
  {
    let order = wanted.indices.sorted {
      wanted[$0] != wanted[$1] ? wanted[$0] < wanted[$1] : $0 < $1
    }
    var places = order.map { max(wanted[$0], range.lowerBound) }
    for index in places.indices.dropFirst() {
      places[index] = max(places[index], places[index - 1] + gap)
    }
    var limit = range.upperBound
    for index in places.indices.reversed() {
      places[index] = min(places[index], limit)
      limit = places[index] - gap
    }
    var result = wanted
    for (index, original) in order.enumerated() { result[original] = places[index] }
    return result
  }
}

/// A mapping from values to positions in a chart.
struct Scale: Sendable {
  enum Kind: Sendable {
    case linear
    /// Equal factors have equal distances; values are positive.
    case logarithmic
  }

  let kind: Kind
  let low: Double
  let high: Double
  /// The positions of the lowest and the highest value.
  let from: Double
  let to: Double

  init(_ values: ClosedRange<Double>, _ kind: Kind = .linear, from: Double, to: Double) {
    self.kind = kind
    low = values.lowerBound
    high = values.upperBound > values.lowerBound ? values.upperBound : values.lowerBound + 1
    self.from = from
    self.to = to
  }

  /// Returns the position of a value, clamped to the ends.
  func place(_ value: Double) -> Double {
    let value = min(max(value, low), high)
    let share: Double
    switch kind {
    case .linear: share = (value - low) / (high - low)
    case .logarithmic:
      share =
        (PortableMath.log(value) - PortableMath.log(low))
        / (PortableMath.log(high) - PortableMath.log(low))
    }
    return from + share * (to - from)
  }

  /// Returns round values for ticks, at most about this many.
  func ticks(_ count: Int = 5) -> [Double] {
    switch kind {
    case .linear: linearTicks(count)
    case .logarithmic: logarithmicTicks
    }
  }

  private func linearTicks(_ count: Int) -> [Double] {
    let step = Self.roundStep((high - low) / Double(max(count, 1)))
    var tick = (low / step).rounded(.up)
    var ticks: [Double] = []
    while tick * step <= high + step * 1e-9, ticks.count < 50 {
      ticks.append(tick == 0 ? 0 : tick * step)
      tick += 1
    }
    return ticks
  }

  private var logarithmicTicks: [Double] {
    // In less than a decade there are too few round powers.
    guard high / low > 8 else { return linearTicks(4) }
    var decade = 1.0
    while decade > low { decade /= 10 }
    while decade * 10 <= low { decade *= 10 }
    var ticks: [Double] = []
    let isWide = high / low > 300
    while decade <= high, ticks.count < 50 {
      for factor in isWide ? [1.0] : [1, 2, 5] where (low...high).contains(decade * factor) {
        ticks.append(decade * factor)
      }
      decade *= 10
    }
    return ticks
  }

  /// Returns the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `step`.
  static func roundStep(_ step: Double) -> Double {
    guard step > 0, step.isFinite else { return 1 }
    var decade = 1.0
    while decade > step { decade /= 10 }
    while decade * 10 <= step { decade *= 10 }
    return [1, 2, 2.5, 5, 10].map { $0 * decade }.first { $0 >= step * 0.999_999 } ?? 10 * decade
  }

  /// Returns a range from zero to a round value at or above the highest.
  static func fromZero(to highest: Double, steps: Int = 4) -> ClosedRange<Double> {
    guard highest > 0, highest.isFinite else { return 0...1 }
    let step = roundStep(highest / Double(steps))
    return 0...((highest / step).rounded(.up) * step)
  }
}
