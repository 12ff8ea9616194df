import CacheModel

/// A finished picture: what it shows, how to read it, and where its figures come from.
struct Picture: Sendable {
  /// Where the figures of a picture come from.
  struct Source: Sendable {
    /// The sample of each value, as in `10 seeds from 1`.
    var sample: String
    /// Of the metrics.
    var noiseClass: String
    /// The file, and which of its rows.
    var rows: String
    /// What makes exactly these rows.
    var command: Command
  }

  /// A command, or its place on the page.
  enum Command: Sendable {
    case text(String)
    case place(Anchor)
  }

  var title: String
  /// What is drawn; `nil` if there is nothing to draw.
  var drawing: Drawing?
  /// Instead of a drawing: what is missing, and the command that makes it.
  var missing: String?
  /// One sentence.
  var howToRead: String
  var source: Source?
  /// Whether it stays where there is no room for all.
  var isMain = false

  /// An SVG with a text for readers who cannot see it.
  struct Drawing: Sendable {
    var width: Double
    var height: Double
    /// What can be seen in it, in words.
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

  /// A picture of which nothing was measured.
  static func missing(_ title: String, _ reason: String) -> Picture {
    Picture(title: title, missing: reason, howToRead: "")
  }

  /// The same picture, which stays where there is no room for all.
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

/// Parts that pictures are made of.
enum Draw {
  static func line(_ path: String, _ classes: String) -> Node {
    .tag("path", [.class(classes), Attribute("d", path)])
  }

  /// - Parameters:
  ///   - text: what is written.
  ///   - x: where it begins, or ends, or has its middle.
  ///   - y: its base line.
  ///   - classes: of the style sheet.
  ///   - anchor: `end` or `middle`; `nil`: the beginning.
  /// - Returns: the text at its place.
  static func text(
    _ text: String, x: Double, y: Double, _ classes: String = "", anchor: String? = nil
  ) -> Node {
    var attributes = [Attribute("x", x), Attribute("y", y)]
    let names = [classes, anchor.map { $0 == "end" ? "e" : "m" } ?? ""].filter { !$0.isEmpty }
    if !names.isEmpty { attributes.append(.class(names.joined(separator: " "))) }
    return .tag("text", attributes, text)
  }

  static func marker(_ look: PolicyLooks.Look, x: Double, y: Double) -> Node {
    .tag(
      "use",
      [.href(.anchor(look.symbol)), Attribute("x", x), Attribute("y", y), .class(look.ink)])
  }

  /// `M x y` and the like.
  static func move(_ x: Double, _ y: Double) -> String {
    "M\(Coordinate.text(x)) \(Coordinate.text(y))"
  }

  static func to(_ x: Double, _ y: Double) -> String {
    "L\(Coordinate.text(x)) \(Coordinate.text(y))"
  }

  /// A path through the points; a point that is missing is a gap, and one alone between gaps a dot.
  ///
  /// Each step is described by its difference from the one before, and steps on one level are one.
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

  /// Horizontal lines across a plot at each tick.
  static func grid(_ ticks: [Double], _ scale: Scale, from: Double, to: Double) -> Node {
    line(
      ticks.map {
        "\(move(from, scale.place($0)))H\(Coordinate.text(to))"
      }.joined(), "gr")
  }

  /// Those of the ticks whose texts do not touch the one before.
  static func spaced(_ ticks: [Double], _ scale: Scale, text: (Double) -> String) -> [Double] {
    var end = -Double.infinity
    return ticks.filter { tick in
      // About as wide as the letters are.
      let half = Double(text(tick).count) * 2.9 + 3
      guard scale.place(tick) - half > end else { return false }
      end = scale.place(tick) + half
      return true
    }
  }

  /// A round number of an axis, without decimals that say nothing.
  static func short(_ text: String) -> String { text.replacing(".0 ", with: " ") }

  /// Places for labels that would lie on each other: in order, at least `gap` apart, within a range.
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

/// A way from values to places in a picture.
struct Scale: Sendable {
  enum Kind: Sendable {
    case linear
    /// Equal factors take equal room; values are positive.
    case logarithmic
  }

  let kind: Kind
  let low: Double
  let high: Double
  /// Where the lowest and the highest value lie.
  let from: Double
  let to: Double

  init(_ values: ClosedRange<Double>, _ kind: Kind = .linear, from: Double, to: Double) {
    self.kind = kind
    low = values.lowerBound
    high = values.upperBound > values.lowerBound ? values.upperBound : values.lowerBound + 1
    self.from = from
    self.to = to
  }

  /// The place of a value; beyond the ends it stays at them.
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

  /// Round values to mark, at most about this many.
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
    // Of less than a decade too few round powers are left.
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

  /// The smallest of 1, 2, 2.5 and 5 times a power of ten that is no smaller.
  static func roundStep(_ step: Double) -> Double {
    guard step > 0, step.isFinite else { return 1 }
    var decade = 1.0
    while decade > step { decade /= 10 }
    while decade * 10 <= step { decade *= 10 }
    return [1, 2, 2.5, 5, 10].map { $0 * decade }.first { $0 >= step * 0.999_999 } ?? 10 * decade
  }

  /// A range from zero to a round value at or above the highest.
  static func fromZero(to highest: Double, steps: Int = 4) -> ClosedRange<Double> {
    guard highest > 0, highest.isFinite else { return 0...1 }
    let step = roundStep(highest / Double(steps))
    return 0...((highest / step).rounded(.up) * step)
  }
}
