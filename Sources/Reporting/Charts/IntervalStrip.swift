/// One line of the first screen: where a policy stands between what no cache and one without limits
/// reach, with its interval, and where the others stand.
struct IntervalStrip: Sendable {
  var look: PolicyLooks.Look
  var value: Double
  var interval: ClosedRange<Double>?
  /// What the bounds reach; `nil` where they were not run.
  var possible: ClosedRange<Double>?
  /// The others that compete.
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
