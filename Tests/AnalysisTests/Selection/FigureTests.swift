import Analysis
import ResultModel
import Testing

@Suite("Figures that contenders are compared by")
struct FigureTests {
  private static func row(
    _ metric: Metric, _ value: Double?, statistic: Statistic = .value, class: ResultClass = .total
  ) -> ResultRow {
    ResultRow(
      scenario: "s", policy: "p", seed: 1, class: `class`, metric: metric, statistic: statistic,
      value: value.map(MetricValue.real))
  }

  @Test("A figure is the value of its metric, statistic and class, or a weighted sum")
  func value() {
    let run = [
      Self.row(.freshHitRatio, 0.25, class: "file"),
      Self.row(.freshHitRatio, 0.5, class: "all"),
      Self.row(.staleReadShare, 0.2, class: "all"),
      Self.row(.readWait, 9, statistic: .p95, class: "all"),
      Self.row(.readWait, 4, statistic: .mean, class: "all"),
      Self.row(.bytesFetched, 8), Self.row(.bytesPushed, 280),
      Self.row(.predictedBytes, 7, statistic: .peak),
    ]
    #expect(Figure.freshHitRatio().value(in: run) == 0.5)
    #expect(Figure.freshHitRatio(staleWeight: 2).value(in: run) == 0.5 - 2 * 0.2)
    #expect(Figure.readWait.value(in: run) == 4)
    #expect(Figure.bytesReceived.value(in: run) == 288)
    #expect(Figure.peakMemory.value(in: run) == 7)
    #expect(Figure.overLimit.value(in: run) == nil)
  }

  @Test("A term that was not measured leaves the sum without a value")
  func missing() {
    #expect(Figure.bytesReceived.value(in: [Self.row(.bytesFetched, 8)]) == nil)
    #expect(
      Figure.bytesReceived.value(
        in: [Self.row(.bytesFetched, 8), Self.row(.bytesPushed, nil)]) == nil)
    #expect(
      Figure.bytesReceived.value(
        in: [Self.row(.bytesFetched, 8), Self.row(.bytesPushed, .infinity)]) == nil)
  }

  @Test("A sample has one value for each run, and is whole only if all have one")
  func sample() {
    let runs = [1.0, 2, nil, 4].map {
      [Self.row(.bytesFetched, 8), Self.row(.overLimit, $0, statistic: .peak)]
    }
    let bytes = Figure(.bytesFetched, unit: .bytes)
    var sample = ObservedSample(
      contender: "p", runs: Array(runs.prefix(2)), figures: [.overLimit, bytes])
    #expect(sample.seedCount == 2)
    #expect(sample.complete(.overLimit) == [1, 2])
    #expect(sample.complete(.readWait) == nil)
    sample.append(
      ObservedSample(contender: "p", runs: Array(runs.suffix(2)), figures: [bytes, .overLimit]))
    #expect(sample.seedCount == 4)
    #expect(sample.complete(.overLimit) == nil)
    #expect(sample.complete(bytes) == [8, 8, 8, 8])
    #expect(sample[1..<2].complete(.overLimit) == [2])
    #expect(sample[3..<4].complete(.overLimit) == [4])
  }

  @Test("A figure that only some seeds have is unknown for the sample, whichever come first")
  func lateFigures() {
    let bare = ObservedSample(
      contender: "p", seedCount: 1, columns: [.init(.overLimit, [0.5])])
    let full = ObservedSample(
      contender: "p", seedCount: 1, columns: [.init(.overLimit, [0.6]), .init(.readWait, [3])])
    for (first, second) in [(bare, full), (full, bare)] {
      var sample = first
      sample.append(second)
      #expect(sample.complete(.readWait) == nil)
      #expect(sample.complete(.overLimit)?.count == 2)
    }
  }
}
