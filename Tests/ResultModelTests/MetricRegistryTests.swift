import Foundation
import ResultModel
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

  @Test("every metric that a family declares is in a list of its file")
  func allAreListed() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let families = top.appending(path: "Sources/ResultModel/Families")
    let files = try FileManager.default.contentsOfDirectory(
      at: families, includingPropertiesForKeys: nil)
    var declared = 0
    for file in files {
      let text = try String(contentsOf: file, encoding: .utf8)
        .replacingOccurrences(of: "public static", with: "package static")
      let list = text.components(separatedBy: "extension MetricRegistry").dropFirst()
        .compactMap { $0.components(separatedBy: "\n}").first }.joined()
      for declaration in text.split(separator: "package static let ").dropFirst() {
        let name = declaration.prefix { $0.isLetter }
        #expect(list.contains(".\(name),"), "\(file.lastPathComponent): \(name)")
        declared += 1
      }
    }
    #expect(declared == MetricRegistry.all.count)
  }

  @Test("names are snake case", arguments: MetricRegistry.all)
  func snakeCase(metric: Metric) {
    let words = metric.name.split(separator: "_", omittingEmptySubsequences: false)
    #expect(words.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { (97...122).contains($0) } })
  }

  @Test("a definition is one sentence", arguments: MetricRegistry.all)
  func definitionIsOneSentence(metric: Metric) {
    let definition = metric.definition
    #expect(definition.first?.isUppercase == true)
    #expect(definition.last == ".")
    #expect(!definition.contains(". "), "more than one sentence")
    #expect(!definition.contains("\n"))
    #expect(definition.utf8.count <= 120)
  }

  @Test("a metric's note on comparability is a sentence", arguments: MetricRegistry.all)
  func notComparableWith(metric: Metric) {
    guard let text = metric.notComparableWith else { return }
    #expect(text.last == ".")
    #expect(text != metric.definition)
  }

  @Test("a metric has statistics, none twice", arguments: MetricRegistry.all)
  func statistics(metric: Metric) {
    #expect(!metric.statistics.isEmpty)
    #expect(Set(metric.statistics).count == metric.statistics.count)
  }

  @Test("absolute targets, and only they, name the control that shows the machine's noise")
  func noiseControls() {
    for metric in MetricRegistry.all {
      #expect((metric.noiseControl != nil) == (metric.noiseClass == .slo), "\(metric.name)")
      guard let control = metric.noiseControl else { continue }
      #expect(control.noiseClass == .sampled)
      #expect(control.unit == metric.unit)
      #expect(control.statistics == metric.statistics)
    }
  }

  @Test("a ratio is called ratio or share, and nothing is called a rate")
  func ratiosAreNotRates() {
    // The exceeded limit and the factor are one word.
    for metric in MetricRegistry.all where metric != .overLimit {
      let words = metric.name.split(separator: "_")
      let isRatio = metric.unit == .ratio || metric.unit == .factor
      #expect((words.contains("ratio") || words.contains("share")) == isRatio)
      #expect(!words.contains("rate"), "\(metric.name): say ratio, or per second")
      #expect(metric.name.hasSuffix("_per_second") == (metric.unit == .perSecond))
    }
  }

  @Test("a text that names another metric names one that exists", arguments: MetricRegistry.all)
  func namesInTexts(metric: Metric) {
    let text = metric.definition + " " + (metric.notComparableWith ?? "")
    let words = text.split { !($0.isLetter || $0 == "_") }
    for word in words where word.contains("_") {
      #expect(MetricRegistry.named(String(word)) != nil, "\(word)")
    }
  }

  @Test("the outcomes that sum to reads are all there")
  func outcomes() {
    let outcomes: [Metric] = [
      .hitFresh, .hitStale, .hitUnknown, .partial, .missCold, .missExpired, .missEvicted,
      .missInvalidated, .coalesced, .bypass, .failed,
    ]
    for metric in outcomes {
      #expect(metric.unit == .count, "\(metric)")
      #expect(metric.noiseClass == .exact, "\(metric)")
      #expect(metric.isOfReads, "\(metric)")
    }
  }
}

@Suite("Which direction is better")
struct PolarityTests {
  /// Metrics of which more is better.
  private static let better: Set<Metric> = [
    .hitFresh, .hitRatio, .freshHitRatio, .coldStartHitRatio, .offlineHitRatio,
    .memoryHits, .bytesSaved,
    .updateToNotifyWithinTarget,
    .serverToUIWithinTarget,
    .entityAccessesPerSecond, .operationsPerSecond, .cacheOperationsPerSecond,
    .isCostFlat,
    // A peer's time over that of the cache under test.
    .applyRatio, .notifyRatio, .eventCostRatio,
  ]

  /// Metrics that describe a run: determined by the workload, the policy or the network.
  private static let neutral: Set<Metric> = [
    .reads, .hitUnknown, .coalesced, .bypass, .notModified, .bytesPushed, .notifications,
    .notificationsUseful, .gapsDetected, .reconciles, .residentEntities, .cachedQueries,
    .overLimit, .evictions, .admissionRejections, .relaunches, .entityAccesses, .eventsApplied,
    .eventItemsApplied, .duplicatesIgnored, .achievedEventsPerSecond,
    .soakDuration, .soakEventsPerSecond, .soakEvents,
    .soakEventsLost, .soakEventsLate, .soakEventsDuplicated, .soakGaps,
    .soakReconciles, .soakResyncs, .soakNotifications, .soakViewsChecked,
    .measuredHitRatio, .writes, .writesRefused, .diskHits,
  ]

  @Test("Unless wanted or neutral, less is better", arguments: MetricRegistry.all)
  func polarity(metric: Metric) {
    let expected: Polarity =
      Self.better.contains(metric)
      ? .higherIsBetter : Self.neutral.contains(metric) ? .neutral : .lowerIsBetter
    #expect(metric.polarity == expected, "\(metric.name)")
  }
}
