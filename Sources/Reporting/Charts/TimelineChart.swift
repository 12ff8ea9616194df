/// Figures of a run over time, in panels, with faults as bands.
struct TimelineChart: Sendable {
  struct Panel: Sendable {
    var title: String
    var highest: Double
    var text: @Sendable (Double) -> String
    /// One for each line of the chart, in its order; a value for each part of the time.
    var values: [[Double?]]
  }

  struct Line: Sendable {
    var name: String
    var look: PolicyLooks.Look
  }

  /// A band, in shares of the time.
  struct Band: Sendable {
    var name: String
    var from: Double
    var to: Double
    var isWarmUp: Bool
  }

  var lines: [Line]
  var panels: [Panel]
  var bands: [Band]
  /// The duration of the run, in nanoseconds.
  var duration: Double
  var description: String

  private static let width = 400.0
  private static let right = 392.0
  private static let panelHeight = 64.0
  private static let panelGap = 20.0
  private static let nameHeight = 12.0

  private var left: Double {
    Draw.left(
      ofTicks: panels.flatMap { panel in
        Self.rises(of: panel).ticks(2).map { Draw.short(panel.text($0)) }
      })
  }

  private static func rises(of panel: Panel, from bottom: Double = 0, to top: Double = 1) -> Scale {
    Scale(Scale.fromZero(to: panel.highest, steps: 2), from: bottom, to: top)
  }

  var drawing: Picture.Drawing {
    let legend = legend()
    let across = Scale(0...1, from: left, to: Self.right)
    let names = names(across)
    // The names of the faults, then the title of the first panel.
    let top = legend.height + 6 + Double(names.rows + 1) * Self.nameHeight
    let bottom =
      top + Double(panels.count) * Self.panelHeight + Double(panels.count - 1) * Self.panelGap
    var content = legend.nodes + bands(across, top, bottom)
    content += names.places.map { name in
      Draw.text(
        name.text, x: name.x, y: legend.height + 6 + Double(name.row) * Self.nameHeight + 4, "lt")
    }
    for (index, panel) in panels.enumerated() {
      let start = top + Double(index) * (Self.panelHeight + Self.panelGap)
      content += nodes(of: panel, top: start, across)
    }
    let (unit, word) = Self.unit(of: duration)
    let time = Scale(0...(duration / unit), from: left, to: Self.right)
    content += time.ticks(5).map {
      Draw.text(HumanNumber.count($0), x: time.place($0), y: bottom + 14, anchor: "middle")
    }
    content.append(
      Draw.text(
        word, x: (left + Self.right) / 2, y: bottom + 29, "at", anchor: "middle"))
    return Picture.Drawing(
      width: Self.width, height: bottom + 35, description: description, content: content)
  }

  private func bands(_ across: Scale, _ top: Double, _ bottom: Double) -> [Node] {
    bands.map { band in
      let x = across.place(band.from)
      let width = max(across.place(band.to) - x, 1)
      return .tag(
        "rect",
        [
          Attribute("x", x), Attribute("y", top), Attribute("width", width),
          Attribute("height", bottom - top), .class(band.isWarmUp ? "warm" : "fault"),
        ], [.tag("title", [], band.name)])
    }
  }

  /// Returns the name of each fault above its band, in as many rows as keep them apart.
  private func names(
    _ across: Scale
  ) -> (places: [(text: String, x: Double, row: Int)], rows: Int) {
    var ends: [Double] = []
    var places: [(text: String, x: Double, row: Int)] = []
    for band in bands where !band.isWarmUp {
      // An approximation of the text's width.
      let width = Double(band.name.count) * 5.4
      let x = max(left, min(across.place(band.from), Self.width - width))
      let row = ends.firstIndex { $0 < x } ?? ends.count
      if row == ends.count { ends.append(0) }
      ends[row] = x + width + 4
      places.append((band.name, x, row))
    }
    return (places, ends.count)
  }

  private func nodes(of panel: Panel, top: Double, _ across: Scale) -> [Node] {
    let bottom = top + Self.panelHeight
    let up = Self.rises(of: panel, from: bottom, to: top)
    let ticks = up.ticks(2)
    var nodes = [Draw.grid(ticks, up, from: left, to: Self.right)]
    nodes += ticks.map {
      Draw.text(Draw.short(panel.text($0)), x: left - 5, y: up.place($0) + 3.5, anchor: "end")
    }
    nodes.append(Draw.text(panel.title, x: left + 4, y: top - 5, "at"))
    for (line, values) in zip(lines, panel.values) {
      let points = values.enumerated().map { index, value -> (x: Double, y: Double)? in
        value.map {
          (across.place((Double(index) + 0.5) / Double(values.count)), up.place($0))
        }
      }
      nodes.append(Draw.line(Draw.path(points), "thin \(line.look.line)"))
    }
    return nodes
  }

  private func legend() -> (nodes: [Node], height: Double) {
    var nodes: [Node] = []
    var (x, y) = (4.0, 11.0)
    for line in lines {
      let width = Double(line.name.count) * 5.7 + 34
      if x + width > Self.width, x > 4 { (x, y) = (4, y + 15) }
      nodes.append(Draw.line("\(Draw.move(x, y - 3.5))h16", line.look.line))
      nodes.append(Draw.text(line.name, x: x + 20, y: y, "nm \(line.look.ink)"))
      x += width
    }
    return (nodes, y + 6)
  }

  /// Returns a suitable unit for a duration, in nanoseconds, and its name.
  private static func unit(of duration: Double) -> (Double, String) {
    switch duration / 1e9 {
    case ..<180: (1e9, "seconds of virtual time")
    case ..<10_800: (60e9, "minutes of virtual time")
    case ..<259_200: (3_600e9, "hours of virtual time")
    default: (86_400e9, "days of virtual time")
    }
  }
}
