/// Labelled curves over one axis: a figure against memory, latency against percentiles, or a figure against a
/// varied field.
struct CurveChart: Sendable {
  struct Point: Sendable {
    var x: Double
    var y: Double
    var interval: ClosedRange<Double>?
  }

  struct Curve: Sendable {
    var name: String
    var look: PolicyLooks.Look
    var points: [Point]
  }

  /// A horizontal line, such as a bound or a limit.
  struct Level: Sendable {
    var name: String
    var y: Double
  }

  struct Axis: Sendable {
    var title: String
    var kind = Scale.Kind.linear
    var range: ClosedRange<Double>
    /// The positions of ticks; `nil`: at round values.
    var ticks: [Double]?
    var text: @Sendable (Double) -> String
  }

  var x: Axis
  var y: Axis
  var curves: [Curve]
  var levels: [Level] = []
  var description: String

  private static let width = 400.0
  private static let left = 44.0
  private static let right = 288.0
  private static let top = 22.0
  private static let labelGap = 11.5

  var drawing: Picture.Drawing {
    let labels = curves.count + levels.count
    let plotHeight = max(190, Double(labels) * Self.labelGap + 6)
    let bottom = Self.top + plotHeight
    let across = Scale(x.range, x.kind, from: Self.left + 8, to: Self.right - 8)
    let up = Scale(y.range, y.kind, from: bottom, to: Self.top)
    var content = frame(across, up, bottom)
    content += levels.map { level in
      return Draw.line(
        Draw.move(Self.left, up.place(level.y)) + "H\(Coordinate.text(Self.right))", "ln bd d1")
    }
    for curve in curves { content += Self.nodes(of: curve, across, up) }
    content += names(across, up, bottom)
    return Picture.Drawing(
      width: Self.width, height: bottom + 38, description: description, content: content)
  }

  private func frame(_ across: Scale, _ up: Scale, _ bottom: Double) -> [Node] {
    let rises = y.ticks ?? up.ticks()
    var nodes = [Draw.grid(rises, up, from: Self.left, to: Self.right)]
    nodes += rises.map {
      Draw.text(Draw.short(y.text($0)), x: Self.left - 5, y: up.place($0) + 3.5, anchor: "end")
    }
    let marks = Draw.spaced(x.ticks ?? across.ticks(), across, text: x.text)
    nodes += marks.map {
      Draw.text(Draw.short(x.text($0)), x: across.place($0), y: bottom + 15, anchor: "middle")
    }
    nodes.append(
      Draw.line(
        marks.map { "\(Draw.move(across.place($0), bottom))v4" }.joined(), "ax"))
    nodes.append(Draw.text(y.title, x: 4, y: 12, "at"))
    nodes.append(
      Draw.text(x.title, x: (Self.left + Self.right) / 2, y: bottom + 31, "at", anchor: "middle"))
    return nodes
  }

  private static func nodes(of curve: Curve, _ across: Scale, _ up: Scale) -> [Node] {
    let places = curve.points.map { (x: across.place($0.x), y: up.place($0.y)) }
    var nodes: [Node] = []
    let whiskers = zip(places, curve.points).compactMap { place, point in
      point.interval.map {
        "\(Draw.move(place.x, up.place($0.lowerBound)))V\(Coordinate.text(up.place($0.upperBound)))"
      }
    }
    if !whiskers.isEmpty { nodes.append(Draw.line(whiskers.joined(), "wh \(curve.look.ink)")) }
    nodes.append(Draw.line(Draw.path(places.map { $0 }), curve.look.line))
    nodes += places.map { Draw.marker(curve.look, x: $0.x, y: $0.y) }
    return nodes
  }

  /// Returns each name next to the end of its line, moved apart if they would overlap.
  private func names(_ across: Scale, _ up: Scale, _ bottom: Double) -> [Node] {
    let ends =
      curves.compactMap { curve in
        curve.points.last.map {
          (name: curve.name, ink: curve.look.ink, x: across.place($0.x), y: up.place($0.y))
        }
      }
      + levels.map {
        (name: $0.name, ink: "bd", x: Self.right, y: up.place($0.y))
      }
    let places = Draw.spread(
      ends.map(\.y), gap: Self.labelGap, within: (Self.top - 2)...(bottom + 2))
    return zip(ends, places).flatMap { end, place in
      [
        Draw.line(
          Draw.move(end.x, end.y) + Draw.to(Self.right + 10, place), "ld \(end.ink)"),
        Draw.text(end.name, x: Self.right + 13, y: place + 3.5, "nm \(end.ink)"),
      ]
    }
  }
}

/// One mark for each policy by two of its figures, with the Pareto front.
struct ScatterChart: Sendable {
  struct Mark: Sendable {
    var name: String
    var look: PolicyLooks.Look
    var x: Double
    var y: Double
    var interval: ClosedRange<Double>?
    /// Whether it is on the Pareto front: no other is at least as good in everything and better in something.
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
