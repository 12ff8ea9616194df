/// Differences with their intervals about zero, one a line.
struct ForestChart: Sendable {
  struct Line: Sendable {
    var name: String
    var ink = "k"
    /// `nil` where it was not measured.
    var difference: SavedInterval?
  }

  var lines: [Line]
  /// What both ends of the axis are; shared by the pictures that stand beside each other.
  var reach: Double
  var axis: String
  /// What lies on the left and on the right of zero.
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
