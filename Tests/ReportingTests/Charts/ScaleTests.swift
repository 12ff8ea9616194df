import Testing

@testable import Reporting

@Suite("Scales of pictures")
struct ScaleTests {
  @Test("A linear scale is even, and ends at its ends")
  func linear() {
    let scale = Scale(0...10, from: 100, to: 0)
    #expect([-1, 0, 2.5, 10, 11].map { scale.place($0) } == [100, 100, 75, 0, 0])
    #expect(scale.ticks(5) == [0, 2, 4, 6, 8, 10])
  }

  @Test("On a logarithmic scale equal factors take equal room")
  func logarithmic() {
    let scale = Scale(1...1_000, .logarithmic, from: 0, to: 300)
    for (value, place) in [(1.0, 0.0), (10, 100), (100, 200), (1_000, 300)] {
      #expect((scale.place(value) - place).magnitude < 1e-9)
    }
    #expect(scale.ticks() == [1, 10, 100, 1_000])
    #expect(Scale(3...150, .logarithmic, from: 0, to: 1).ticks() == [5, 10, 20, 50, 100])
  }

  @Test("A range of one value, and of zero, still has a length")
  func empty() {
    let scale = Scale(5...5, from: 0, to: 10)
    #expect(scale.place(5) == 0)
    #expect(Scale.fromZero(to: 0) == 0...1)
    #expect(Scale.fromZero(to: 93) == 0...100)
  }

  @Test("Labels are moved apart, keep their order, and stay within their range")
  func labels() {
    let places = Draw.spread([50, 10, 52, 99, 98], gap: 10, within: 0...100)
    #expect(places == [50, 10, 60, 100, 90])
    #expect(Draw.spread([5, 5, 5], gap: 10, within: 0...100) == [5, 15, 25])
  }

  @Test("A long name has the room that it needs, and a longer one is condensed to the most")
  func names() {
    let long = String(repeating: "x", count: 33)
    #expect(Draw.room(["lru"]) < Draw.room(["lru", "spacedrive-revalidate"]))
    #expect(Draw.room([long]) == Draw.mostRoom)
    for (name, isCondensed) in [("lru", false), (long, true)] {
      var bytes: [UInt8] = []
      Draw.name(name, x: 0, y: 0, ink: "k0").render(into: &bytes)
      #expect(String(decoding: bytes, as: UTF8.self).contains("textLength=\"160") == isCondensed)
    }
  }

  @Test("A gap in a line stays one, and a point between gaps is a dot")
  func gaps() {
    #expect(Draw.path([(0, 0), (1, 1), nil, (3, 3), nil]) == "M0 0l1 1M3 3h.1")
    #expect(
      Draw.path([(0, 5), (7, 5), (14, 5), (20, 2), (30, 2), nil, (40, 0), (41, 3)])
        == "M0 5h14l6-3h10M40 0l1 3")
    #expect(Draw.path([]) == "")
  }
}
