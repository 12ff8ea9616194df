import Metrics
import Testing

@Suite("Metric registry")
struct MetricRegistryTests {
  @Test("no two metrics share a name, and each is found under its own")
  func namesAreUnique() {
    var seen: Set<String> = []
    for metric in MetricRegistry.all {
      #expect(seen.insert(metric.name).inserted, "\(metric.name) is registered twice")
      #expect(MetricRegistry.named(metric.name) == metric)
    }
    #expect(MetricRegistry.named("no_such_metric") == nil)
  }

  @Test("names are snake case", arguments: MetricRegistry.all)
  func snakeCase(metric: MetricDescriptor) {
    let words = metric.name.split(separator: "_", omittingEmptySubsequences: false)
    #expect(words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (97...122).contains($0) } })
  }

  @Test("a definition is one sentence", arguments: MetricRegistry.all)
  func definitionIsOneSentence(metric: MetricDescriptor) {
    let definition = metric.definition
    #expect(definition.first?.isUppercase == true)
    #expect(definition.last == ".")
    #expect(!definition.contains(". "), "more than one sentence")
    #expect(!definition.contains("\n"))
    #expect(definition.utf8.count <= 120)
  }

  @Test("what a metric is not comparable with is a sentence", arguments: MetricRegistry.all)
  func notComparableWith(metric: MetricDescriptor) {
    guard let text = metric.notComparableWith else { return }
    #expect(text.last == ".")
    #expect(text != metric.definition)
  }

  @Test("a metric has statistics, none twice", arguments: MetricRegistry.all)
  func statistics(metric: MetricDescriptor) {
    #expect(!metric.statistics.isEmpty)
    #expect(Set(metric.statistics).count == metric.statistics.count)
    #expect(metric.statistics.allSatisfy { metric.allows(statistic: $0.rawValue) })
    #expect(!metric.allows(statistic: "average"))
  }

  @Test("absolute targets, and only they, name the control that shows the machine's noise")
  func noiseControls() {
    for metric in MetricRegistry.all {
      #expect((metric.noiseControl != nil) == (metric.noiseClass == .slo), "\(metric.name)")
      guard let name = metric.noiseControl else { continue }
      let control = MetricRegistry.named(name)
      #expect(control?.noiseClass == .sampled)
      #expect(control?.unit == metric.unit)
      #expect(control?.statistics == metric.statistics)
    }
  }

  @Test("a ratio is called ratio or share, and nothing is called a rate")
  func ratiosAreNotRates() {
    // What is over a limit, and by how much, is said in one word.
    for metric in MetricRegistry.all where metric.name != "over_limit" {
      let words = metric.name.split(separator: "_")
      let isRatio = metric.unit == .ratio || metric.unit == .factor
      #expect((words.contains("ratio") || words.contains("share")) == isRatio)
      #expect(!words.contains("rate"), "\(metric.name): say ratio, or per second")
      #expect(metric.name.hasSuffix("_per_second") == (metric.unit == .perSecond))
    }
  }

  @Test("a text that names another metric names one that exists", arguments: MetricRegistry.all)
  func namesInTexts(metric: MetricDescriptor) {
    let text = metric.definition + " " + (metric.notComparableWith ?? "")
    let words = text.split { !($0.isLetter || $0 == "_") }
    for word in words where word.contains("_") {
      #expect(MetricRegistry.named(String(word)) != nil, "\(word)")
    }
  }

  @Test("the outcomes that sum to reads are all there")
  func outcomes() {
    let outcomes = [
      "hit_fresh", "hit_stale", "partial", "miss_cold", "miss_expired", "miss_evicted",
      "miss_invalidated", "coalesced", "bypass", "failed",
    ]
    for name in outcomes {
      #expect(MetricRegistry.named(name)?.unit == .count, "\(name)")
      #expect(MetricRegistry.named(name)?.noiseClass == .exact, "\(name)")
    }
  }
}
