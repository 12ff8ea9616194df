/// One mark for each policy, by two of its figures, and which of them nothing else beats.
struct ScatterChart: Sendable {
  struct Mark: Sendable {
    var name: String
    var look: PolicyLooks.Look
    var x: Double
    var y: Double
    var interval: ClosedRange<Double>?
    /// Whether no other is at least as good in everything and better in something.
    var isOnFront: Bool
  }

  var x: CurveChart.Axis
  var y: CurveChart.Axis
  var marks: [Mark]
  var description: String

  private static let width = 400.0
  private static let left = 44.0
  private static let right = 288.0
  private static let top = 22.0
  private static let labelGap = 11.5

  var drawing: Picture.Drawing {
    let bottom = Self.top + max(190, Double(marks.count) * Self.labelGap + 6)
    let across = Scale(x.range, x.kind, from: Self.left + 8, to: Self.right - 8)
    let up = Scale(y.range, y.kind, from: bottom, to: Self.top)
    let rises = up.ticks()
    var content = [Draw.grid(rises, up, from: Self.left, to: Self.right)]
    content += rises.map {
      Draw.text(y.text($0), x: Self.left - 5, y: up.place($0) + 3.5, anchor: "end")
    }
    let ticks = Draw.spaced(across.ticks(), across, text: x.text)
    content.append(
      Draw.line(ticks.map { "\(Draw.move(across.place($0), bottom))v4" }.joined(), "ax"))
    content += ticks.map {
      Draw.text(Draw.short(x.text($0)), x: across.place($0), y: bottom + 15, anchor: "middle")
    }
    content.append(Draw.text(y.title, x: 4, y: 12, "at"))
    content.append(
      Draw.text(x.title, x: (Self.left + Self.right) / 2, y: bottom + 31, "at", anchor: "middle"))
    let places = Draw.spread(
      marks.map { up.place($0.y) }, gap: Self.labelGap, within: (Self.top - 2)...(bottom + 2))
    for (mark, place) in zip(marks, places) {
      content += nodes(of: mark, label: place, across, up)
    }
    return Picture.Drawing(
      width: Self.width, height: bottom + 38, description: description, content: content)
  }

  private func nodes(
    of mark: Mark, label: Double, _ across: Scale, _ up: Scale
  ) -> [Node] {
    let (x, y) = (across.place(mark.x), up.place(mark.y))
    var nodes: [Node] = []
    if let interval = mark.interval {
      nodes.append(
        Draw.line(
          "\(Draw.move(x, up.place(interval.lowerBound)))"
            + "V\(Coordinate.text(up.place(interval.upperBound)))", "wh \(mark.look.ink)"))
    }
    if mark.isOnFront {
      nodes.append(
        .tag(
          "circle",
          [
            Attribute("cx", x), Attribute("cy", y), Attribute("r", 7),
            .class("ring \(mark.look.ink)"),
          ]))
    }
    nodes.append(Draw.marker(mark.look, x: x, y: y))
    nodes.append(
      Draw.line(
        Draw.move(x, y) + Draw.to(Self.right + 10, label), "ld \(mark.look.ink)"))
    nodes.append(
      Draw.text(
        mark.name, x: Self.right + 13, y: label + 3.5,
        "nm \(mark.look.ink)\(mark.isOnFront ? " b" : "")"))
    return nodes
  }
}
