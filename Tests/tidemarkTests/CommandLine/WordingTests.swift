import ArgumentParser
import CacheModel
import CacheSimulation
import EvictionPolicies
import Foundation
import ResultModel
import Testing
import Workloads

@testable import CommandLineInterface

/// The texts of commands and registries, by the rules of plain English.
@Suite("Words of help and registries")
struct WordingTests {
  private struct Text {
    var place: String
    var text: String
  }

  /// Of each command: its abstract, its discussion, and its options.
  private static let help: [Text] = CommandRoots.all.flatMap { words, command -> [Text] in
    let place = "tidemark \(words.joined(separator: " "))"
    let root = CommandRoots.root(for: words)
    let options = root.helpMessage(for: command, includeHidden: true, columns: 10_000)
      .split(separator: "\n").filter { $0.hasPrefix("  ") }
    return [
      Text(place: "\(place), abstract", text: command.configuration.abstract),
      Text(place: "\(place), discussion", text: command.configuration.discussion),
    ] + options.map { Text(place: "\(place), option", text: String($0)) }
  }

  private static let registries: [Text] =
    MetricRegistry.all.flatMap { metric in
      [metric.definition, metric.notComparableWith].compactMap(\.self).map {
        Text(place: "metric \(metric.name)", text: $0)
      }
    } + Preset.all.map { Text(place: "preset \($0.name)", text: $0.summary) }
    + DesignPreset.all.map { Text(place: "design \($0.name)", text: $0.summary) }
    + EvictionPolicies.all.map { Text(place: "eviction order \($0.name)", text: $0.summary) }
    + AdmissionPolicies.all.map { Text(place: "admission \($0.name)", text: $0.summary) }
    + ScenarioReference().table.rows.map {
      Text(place: "field \($0[0])", text: $0.last ?? "")
    }

  /// Words that readers stumbled over, with a replacement.
  private static let forbidden: [(word: String, remedy: String)] = [
    ("beside", "compared with, or next to"), ("anew", "again"), ("for ever", "forever"),
    ("in place of", "instead of"), ("stead", "instead"), ("of one's own", "your own"),
    ("whom", "which policy"), ("likewise", "name the noun"),
    ("the former", "name the noun"), ("the latter", "name the noun"), ("bears", "has"),
    ("is told", "receives, is notified"), ("are told", "receive, are notified"),
    ("told apart", "statistically significant"), ("told from", "statistically significant"),
    ("been told", "been notified"), ("never told", "never notified"), ("were told", "received"),
    ("comes to", "totals"), ("so many", "that many"),
    ("sets side by side", "compares"), ("set side by side", "compare"),
    ("at once", "without waiting, or immediately"),
  ]

  /// Texts in which such a word is right.
  private static let exceptions: Set<String> = []

  @Test("Help and registries have none of the words that readers stumbled over")
  func forbiddenWords() {
    #expect(Self.help.count > 150 && Self.registries.count > 150)
    for text in Self.help + Self.registries where !Self.exceptions.contains(text.place) {
      let words =
        " " + text.text.lowercased().split { !$0.isLetter && $0 != "'" }.joined(separator: " ")
        + " "
      for (word, remedy) in Self.forbidden where words.contains(" \(word) ") {
        Issue.record("\(text.place): \"\(word)\": write \(remedy)\n\(text.text)")
      }
    }
  }

  @Test("A command says in one line what it does, beginning with a verb")
  func abstracts() {
    for (words, command) in CommandRoots.all where command.configuration.shouldDisplay {
      let abstract = command.configuration.abstract
      #expect(abstract.hasSuffix("."), "\(words)")
      // As `--help` shows it: after "OVERVIEW: ".
      #expect(abstract.count <= 70, "\(words): \(abstract)")
      let verb = abstract.prefix { $0.isLetter }
      #expect(Self.verbs.contains(String(verb)), "\(words) begins with \(verb): \(abstract)")
    }
  }

  /// The verbs with which abstracts may begin.
  private static let verbs: Set = [
    "Check", "Compare", "Describe", "Draw", "Fail", "Fuzz", "List", "Make", "Measure", "Merge",
    "Print", "Recommend", "Replay", "Run", "Search", "Show", "Split", "Vary", "Write",
  ]

  @Test("The help of each argument and option begins with a verb")
  func optionHelp() {
    var count = 0
    for (words, command) in CommandRoots.all where command.configuration.shouldDisplay {
      let lines = CommandRoots.root(for: words).helpMessage(for: command, columns: 10_000)
        .split(separator: "\n")
        .drop { $0 != "ARGUMENTS:" && $0 != "OPTIONS:" }.prefix { $0 != "SUBCOMMANDS:" }
      for line in lines {
        // The label, at least two spaces, and the help; a long label has a line of its own.
        guard let help = line.firstMatch(of: /^ +(?:[-<].*? {2,})?(?<text>[^-< ].*)$/)?.text else {
          continue
        }
        count += 1
        let verb = String(help.prefix { $0.isLetter })
        #expect(Self.optionVerbs.contains(verb), "\(words) begins with \(verb): \(help)")
      }
    }
    #expect(count > 100)
  }

  /// The verbs with which the help of an option may begin, or the adverb before one.
  private static let optionVerbs: Set = [
    "Also", "Add", "Allow", "Assume", "Begin", "Build", "Change", "Check", "Choose",
    "Compare", "Count", "Cut", "Draw", "Drop", "End", "Fail", "Fit", "Generate", "Give",
    "Identify", "Ignore", "Import", "Judge", "Keep", "Let", "Limit", "List", "Locate",
    "Make", "Measure", "Minimize", "Name", "Number", "Observe", "Read", "Replace", "Replay",
    "Run", "Search", "Seed", "Send", "Set", "Show", "Simulate", "Skip", "Start", "Take",
    "Test", "Try", "Use", "Vary", "Weigh", "Write",
  ]

  @Test(
    "Near misses of names are suggested, in any case and as camelCase",
    arguments: [
      (["Simulate", "a"], "did you mean \"simulate\"?"),
      (["simulat", "a"], "did you mean \"simulate\"?"),
      (["simulate", "a", "--sedes", "5"], "did you mean --seeds?"),
      (["simulate", "a", "--noRobustness"], "did you mean --no-robustness?"),
      (["simulate", "a", "--SEEDS=5"], "did you mean --seeds?"),
      (["simulate", "a", "--no-robust"], "did you mean --no-robustness?"),
      (["gate", "--allso", "junit=x"], "did you mean --also?"),
      (["measure", "latncy"], "did you mean \"latency\"?"),
    ])
  func suggestions(arguments: [String], expected: String) throws {
    let failure = try #require(throws: CommandFailure.self) {
      _ = try CommandRoots.parse(arguments)
    }
    #expect(failure.message.contains(expected), "\(failure.message)")
    #expect(failure.message.split(separator: "\n").count <= 4)
  }

  @Test(
    "The same holds for presets, metrics, fields and files",
    arguments: [
      ("Lru", ["lru"]), ("LruCache", ["lru"]), ("refCount", ["refcount"]),
      ("fresh-hit-ratio", ["fresh_hit_ratio"]),
      ("freshHitRatio", ["fresh_hit_ratio"]), ("evictionOrder", ["eviction-order"]),
      ("FILE-BROWSR.yaml", ["file-browser.yaml"]), ("capacity", ["capacity-entities"]),
    ])
  func names(word: String, known: [String]) {
    #expect(NearestName.suggestion(for: word, among: ["other"] + known) == known[0])
  }
}
