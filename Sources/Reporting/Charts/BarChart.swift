/// Bars that are made of parts, one bar a line: bytes of two kinds, causes of misses, stages of a way.
struct BarChart: Sendable {
  struct Bar: Sendable {
    var name: String
    var ink: String
    /// One for each part of the chart, in its order.
    var values: [Double]
    var text: String
  }

  /// A part of every bar: what it is called, and its color, which is the same in all charts of a kind.
  struct Part: Sendable {
    var name: String
    var color: Int
  }

  var parts: [Part]
  var bars: [Bar]
  var axis: String
  var highest: Double
  var tickText: @Sendable (Double) -> String
  /// A value that must not be passed, and what it is called.
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

  /// One path for each part: all its pieces of all bars.
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
      // About as wide as the letters are.
      let width = Double(part.name.count) * 5.7 + 24
      if x + width > Self.width, x > 4 { (x, y) = (4, y + 15) }
      nodes.append(Draw.line("\(Draw.move(x, y - 8))h9v9h-9z", "q\(part.color)"))
      nodes.append(Draw.text(part.name, x: x + 13, y: y))
      x += width
    }
    return (nodes, y + 6 + (limit == nil ? 0 : 12))
  }
}
