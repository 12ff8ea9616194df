/// Stacked bars, one per line: bytes of two kinds, causes of misses, stages of a path.
struct BarChart: Sendable {
  struct Bar: Sendable {
    var name: String
    var ink: String
    /// One for each part of the chart, in its order.
    var values: [Double]
    var text: String
  }

  /// A part of every bar: its name and colour, the same in all charts of a kind.
  struct Part: Sendable {
    var name: String
    var color: Int
  }

  var parts: [Part]
  var bars: [Bar]
  var axis: String
  var highest: Double
  var tickText: @Sendable (Double) -> String
  var limit: (value: Double, name: String)?
  var description: String

  private static let width = 400.0
  private static let left = 112.0
  private static let right = 332.0
  private static let lineHeight = 16.0

  var drawing: Picture.Drawing {
    let legend = legend()
    let top = legend.height + 6
    let bottom = top + Double(bars.count) * Self.lineHeight
    let across = Scale(Scale.fromZero(to: highest), from: Self.left, to: Self.right)
    let ticks = across.ticks(4)
    var content = legend.nodes
    content.append(
      Draw.line(
        ticks.map { "\(Draw.move(across.place($0), top))V\(Coordinate.text(bottom))" }.joined(),
        "gr"))
    content += ticks.map {
      Draw.text(Draw.short(tickText($0)), x: across.place($0), y: bottom + 14, anchor: "middle")
    }
    content += paths(across, top)
    for (index, bar) in bars.enumerated() {
      let y = top + Double(index) * Self.lineHeight + 11
      content.append(Draw.text(bar.name, x: Self.left - 6, y: y, "nm \(bar.ink)", anchor: "end"))
      let end = across.place(bar.values.reduce(0, +))
      content.append(Draw.text(bar.text, x: end + 4, y: y, "vl"))
    }
    if let limit {
      let x = Coordinate.text(across.place(limit.value))
      content.append(
        Draw.line("M\(x) \(Coordinate.text(top - 3))V\(Coordinate.text(bottom))", "lim"))
      content.append(
        Draw.text(limit.name, x: across.place(limit.value), y: top - 5, "lt", anchor: "end"))
    }
    content.append(
      Draw.text(axis, x: (Self.left + Self.right) / 2, y: bottom + 29, "at", anchor: "middle"))
    return Picture.Drawing(
      width: Self.width, height: bottom + 35, description: description, content: content)
  }

  /// Returns one path for each part, with its segments of all bars.
  private func paths(_ across: Scale, _ top: Double) -> [Node] {
    parts.indices.compactMap { part in
      var path = ""
      for (index, bar) in bars.enumerated() {
        let before = across.place(bar.values[..<part].reduce(0, +))
        let after = across.place(bar.values[...part].reduce(0, +))
        // Less than half a unit would only be a line.
        guard after - before >= 0.4 else { continue }
        let y = top + Double(index) * Self.lineHeight + 2
        path += "\(Draw.move(before, y))H\(Coordinate.text(after))v12H\(Coordinate.text(before))z"
      }
      return path.isEmpty ? nil : Draw.line(path, "q\(parts[part].color)")
    }
  }

  private func legend() -> (nodes: [Node], height: Double) {
    var nodes: [Node] = []
    var (x, y) = (4.0, 11.0)
    for part in parts {
      // An approximation of the text's width.
      let width = Double(part.name.count) * 5.7 + 24
      if x + width > Self.width, x > 4 { (x, y) = (4, y + 15) }
      nodes.append(Draw.line("\(Draw.move(x, y - 8))h9v9h-9z", "q\(part.color)"))
      nodes.append(Draw.text(part.name, x: x + 13, y: y))
      x += width
    }
    return (nodes, y + 6 + (limit == nil ? 0 : 12))
  }
}

/// One line of the first screen: a policy between the bounds, with its interval, and the other policies.
struct IntervalStrip: Sendable {
  var look: PolicyLooks.Look
  var value: Double
  var interval: ClosedRange<Double>?
  /// The range between the bounds; `nil` if they were not run.
  var possible: ClosedRange<Double>?
  var others: [Double]
  var description: String

  var node: Node {
    let across = Scale(0...1, from: 5, to: 215)
    var content: [Node] = [.tag("title", [], description)]
    content.append(Draw.line("M5 13H215M5 10v6M110 10v6M215 10v6", "gr"))
    if let possible {
      content.append(
        Draw.line(
          "M\(Coordinate.text(across.place(possible.lowerBound))) 13"
            + "H\(Coordinate.text(across.place(possible.upperBound)))", "span"))
    }
    content.append(
      Draw.line(
        others.map { "M\(Coordinate.text(across.place($0))) 9v8" }.joined(), "tick"))
    if let interval {
      content.append(
        Draw.line(
          "M\(Coordinate.text(across.place(interval.lowerBound))) 13"
            + "H\(Coordinate.text(across.place(interval.upperBound)))", "wh \(look.ink)"))
    }
    content.append(Draw.marker(look, x: across.place(value), y: 13))
    return .tag("svg", [Attribute("viewBox", "0 0 220 26"), Attribute("role", "img")], content)
  }
}

/// Differences with their intervals about zero, one per line.
struct ForestChart: Sendable {
  struct Line: Sendable {
    var name: String
    var ink = "k"
    /// `nil` if it was not measured.
    var difference: SavedInterval?
  }

  var lines: [Line]
  /// The range of the axis; shared by adjacent charts.
  var reach: Double
  var axis: String
  /// The captions on the left and on the right of zero.
  var sides: (left: String, right: String)
  var text: @Sendable (Double) -> String
  var description: String

  private static let width = 400.0
  private static let left = 112.0
  private static let right = 302.0
  private static let top = 24.0
  private static let lineHeight = 18.0

  var drawing: Picture.Drawing {
    let bottom = Self.top + Double(lines.count) * Self.lineHeight
    let across = Scale(-reach...reach, from: Self.left, to: Self.right)
    let ticks = across.ticks(4)
    var content = [
      Draw.line(
        ticks.map { "\(Draw.move(across.place($0), Self.top))V\(Coordinate.text(bottom))" }
          .joined(), "gr"),
      Draw.line(Draw.move(across.place(0), Self.top) + "V\(Coordinate.text(bottom))", "ax"),
      Draw.text(sides.left, x: across.place(0) - 8, y: 14, anchor: "end"),
      Draw.text(sides.right, x: across.place(0) + 8, y: 14),
      Draw.text(
        axis, x: (Self.left + Self.right) / 2, y: bottom + 29, "at", anchor: "middle"),
    ]
    content += ticks.map {
      Draw.text(text($0), x: across.place($0), y: bottom + 14, anchor: "middle")
    }
    for (index, line) in lines.enumerated() {
      content += nodes(of: line, y: Self.top + (Double(index) + 0.5) * Self.lineHeight, across)
    }
    return Picture.Drawing(
      width: Self.width, height: bottom + 35, description: description, content: content)
  }

  private func nodes(of line: Line, y: Double, _ across: Scale) -> [Node] {
    var nodes = [
      Draw.text(line.name, x: Self.left - 6, y: y + 3.5, "nm \(line.ink)", anchor: "end")
    ]
    guard let difference = line.difference else {
      return nodes + [Draw.text("not measured", x: Self.right + 6, y: y + 3.5)]
    }
    let (low, high) = (across.place(difference.low), across.place(difference.high))
    let isClear = difference.low > 0 || difference.high < 0
    let tone = isClear ? (difference.mean > 0 ? "up" : "dn") : "eq"
    nodes.append(
      Draw.line("\(Draw.move(low, y))H\(Coordinate.text(max(high, low + 0.6)))", "wh \(tone)"))
    if difference.mean.magnitude > reach {
      let (tip, back) = difference.mean > 0 ? (Self.right, -7.0) : (Self.left, 7.0)
      nodes.append(
        Draw.line(
          "\(Draw.move(tip, y))\(Draw.to(tip + back, y - 4))V\(Coordinate.text(y + 4))z",
          "fl \(tone)"))
    } else {
      nodes.append(
        Draw.line("\(Draw.move(across.place(difference.mean) - 3, y - 3))h6v6h-6z", "fl \(tone)"))
    }
    let sign = difference.mean > 0 ? "+" : ""
    nodes.append(
      Draw.text(
        "\(sign)\(text(difference.mean)) ± \(text(difference.halfWidth))", x: Self.right + 6,
        y: y + 3.5, isClear ? "vl" : ""))
    return nodes
  }
}
