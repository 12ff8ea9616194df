import CacheModel
package import CacheProcesses
import DesignSimulation
import EvictionPolicies
import Foundation
import NormalizedCacheCore
import Processes
package import ResultModel
import Text
package import Workloads

package struct ScenarioFile: Sendable {
  package var path: String
  package var scenario: Scenario
  /// The document as written; `nil` if no file was read.
  package var document: ScenarioDocument?
  /// The caches that the command line adds to its policies.
  package var caches: [Contender] = []
  /// Whether the commands that it names may be run: it may come from an untrusted source.
  package var allowsCommands = false
  package var cacheLimits = CacheLimits()
  /// The folder for transcripts of such caches that violate a rule; `nil`: none.
  package var transcripts: TranscriptFolder?

  /// The folder in which scenarios are looked up by name.
  package static let folder = "Scenarios"
  /// The maximum bytes of a scenario.
  fileprivate static let byteLimit = 1 << 20

  /// Reads a scenario by its name in ``folder``, or by path.
  package static func load(_ nameOrPath: String) throws -> ScenarioFile {
    let path = try path(of: nameOrPath)
    guard !path.hasSuffix(".har") else {
      throw CommandFailure(
        .input,
        "\(path): a HAR file; make a recording from it: `tidemark import har \(ShellWord.quoted(path)) "
          + "--output session.jsonl`")
    }
    guard !path.hasSuffix(".jsonl") else {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): a recording, which has no fields and draws no seeds, and both are needed "
          + "here; write a scenario that resembles it: `tidemark explain \(ShellWord.quoted(path)) --fit "
          + "fitted.yaml`")
    }
    return try ScenarioFile(try InputFile.read(path, limit: byteLimit), path: path)
  }

  /// Reads the document of a file that need not be a complete scenario.
  package static func document(_ path: String) throws -> ScenarioDocument {
    try ScenarioDocument(
      try InputFile.read(path, limit: byteLimit), file: path, models: .inFolders(for: path))
  }

  /// Returns the path of a scenario by its name in ``folder``, or by path.
  package static func path(of nameOrPath: String) throws -> String {
    let named = "\(folder)/\(nameOrPath).yaml"
    let isPath =
      nameOrPath.contains("/") || nameOrPath.hasSuffix(".yaml")
      || FileKind.of(named) == nil
        && (nameOrPath.contains(".") || FileKind.of(nameOrPath) != nil)
    let path = isPath ? nameOrPath : named
    if !isPath, FileKind.of(named) == nil {
      let elsewhere = foldersElsewhere.lazy.map { "\($0)/\(nameOrPath).yaml" }
      if let found = elsewhere.first(where: { FileKind.of($0) == .file }) { return found }
      let suggestion = Suggestion.text(
        for: nameOrPath, among: try knownNames(), listedBy: "tidemark list scenarios")
      throw CommandFailure(
        .input,
        "no scenario is called \"\(nameOrPath)\"; \(suggestion)"
          + (suggestion.hasSuffix("?") ? " To" : "; to") + " use a file, give its path")
    }
    return path
  }

  package init(path: String, scenario: Scenario) {
    self.path = path
    self.scenario = scenario
  }

  package init(_ bytes: [UInt8], path: String) throws(ScenarioError) {
    let document = try ScenarioDocument(bytes, file: path, models: .inFolders(for: path))
    self.path = path
    scenario = try document.scenario(vocabulary: .all)
    self.document = document
  }

  /// Reads the named scenarios, or all of ``folder`` if none is named.
  package static func load(_ names: [String]) throws -> [ScenarioFile] {
    let files = try (names.isEmpty ? self.names() : names).map { try load($0) }
    try checkNames(files.map { ($0.path, $0.scenario.name) })
    return files
  }

  /// The path of a scenario or recording, and its name in results.
  package typealias Named = (path: String, name: String)

  /// - Throws: ``CommandFailure`` if two have the same name: their results could not be distinguished.
  package static func checkNames(_ scenarios: [Named]) throws(CommandFailure) {
    for (index, scenario) in scenarios.enumerated() {
      if let other = scenarios[..<index].first(where: { $0.name == scenario.name }) {
        guard other.path != scenario.path else {
          throw CommandFailure(.input, "\(scenario.path) is named twice; name it once")
        }
        throw CommandFailure(
          .input,
          "\(scenario.path): its scenario has the name of \(other.path)'s, \"\(scenario.name)\"; "
            + "give each its own, or take one at a time")
      }
    }
  }

  /// Returns the scenarios of ``folder``, in order of name.
  ///
  /// - Throws: ``CommandFailure`` if there is none, or one with another ending, which would never be gated.
  package static func names() throws(CommandFailure) -> [String] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    if let other = entries.filter({ $0.hasSuffix(".yml") }).min() {
      throw CommandFailure(
        .input,
        "\(folder)/\(other) is not read: scenarios end in .yaml; rename it, or move it elsewhere")
    }
    return try names(in: [folder])
  }

  /// Returns the scenarios that a name may mean: also those of parent folders, and the installed ones.
  package static func knownNames() throws(CommandFailure) -> [String] {
    try names(in: [folder] + foldersElsewhere)
  }

  private static func names(in folders: [String]) throws(CommandFailure) -> [String] {
    let entries = folders.flatMap {
      (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? []
    }
    let names = Set(entries.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) })
    guard !names.isEmpty else {
      throw CommandFailure(
        .input,
        "there is no folder \(folder)/ with scenarios here; give the path of a scenario file, or make a folder "
          + "with one: tidemark init NAME")
    }
    return names.sorted()
  }
}

extension ScenarioFile {
  /// Returns a folder and its parents, the nearest first.
  fileprivate static func foldersUpwards(from folder: URL) -> [URL] {
    var folders = [folder]
    while let last = folders.last, last.pathComponents.count > 1 {
      folders.append(last.deletingLastPathComponent())
    }
    return folders
  }

  fileprivate static var here: URL { URL(filePath: FileManager.default.currentDirectoryPath) }

  fileprivate static var program: URL {
    ChildProcess.ownExecutable.resolvingSymlinksInPath().deletingLastPathComponent()
  }

  /// The folders for names that are not in the ``folder`` here: those of parent folders, and the installed
  /// one.
  fileprivate static var foldersElsewhere: [String] {
    foldersUpwards(from: here).dropFirst().map { $0.appending(path: folder).path } + installed
  }

  /// The folder of scenarios written by `make install`, relative to that of `bin`.
  fileprivate static var installed: [String] {
    foldersUpwards(from: program).map { $0.appending(path: "share/tidemark/\(folder)").path }
  }
}

extension SharedModels {
  /// Returns the shared models of the folder `models` next to a scenario's file, then of the scenarios'
  /// folders: here, in parent folders, and in those of the program, so that your own app may be anywhere.
  fileprivate static func inFolders(for path: String) -> SharedModels {
    let beside = URL(filePath: path).deletingLastPathComponent().relativePath
    let others =
      (ScenarioFile.foldersUpwards(from: ScenarioFile.here)
      + ScenarioFile.foldersUpwards(from: ScenarioFile.program))
      .map { $0.appending(path: ScenarioFile.folder).path } + ScenarioFile.installed
    let folders = ([beside, ScenarioFile.folder] + others).map { "\($0)/models" }
    var files: [String: String] = [:]
    for folder in folders.reversed() {
      for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      where file.hasSuffix(".yaml") {
        files[String(file.dropLast(5))] = "\(folder)/\(file)"
      }
    }
    let found = files
    return SharedModels(names: found.keys.sorted()) { name throws(ScenarioError) in
      let path = found[name] ?? name
      do {
        return (path, try InputFile.read(path, limit: ScenarioFile.byteLimit))
      } catch {
        throw ScenarioError(problems: [
          .init(
            file: path, place: nil, cause: "the model cannot be read: \(error)",
            remedy: "put its file right, or write `data` without `use`")
        ])
      }
    }
  }
}

extension Vocabulary {
  package static let all = Vocabulary(
    evictionOrders: EvictionPolicies.forCaches.map(\.name),
    clairvoyantOrders: EvictionPolicies.all.filter(\.needsFuture).map(\.name),
    admissions: AdmissionPolicies.all.map(\.name))
}

extension ScenarioFile {
  /// Returns the contenders to run: those named, otherwise the scenario's own list and the command line's
  /// caches.
  package func contenders(_ names: [String]) throws(CommandFailure) -> [Contender] {
    let own = scenario.policies.map(\.name)
    if let cache = caches.first(where: { own.contains($0.name) }) {
      throw CommandFailure(
        .input, "\(path): a policy is called \"\(cache.name)\" too; give the cache another name")
    }
    let chosen = names.isEmpty ? own + caches.map(\.name) : names
    var contenders: [Contender] = []
    for name in chosen where !contenders.contains(where: { $0.name == name }) {
      contenders.append(
        Contender(name: name, cache: try cache(of: name), transcripts: transcripts))
    }
    guard !contenders.isEmpty else {
      throw CommandFailure(
        .input, "\(path): names no policies; add `policies: [lru, ttl]`, or give --policies")
    }
    return contenders
  }

  /// The names of all external caches.
  package var commands: [String] {
    caches.filter { $0.cache.command != nil }.map(\.name)
      + scenario.policies.filter { $0.command != nil }.map(\.name)
  }

  private func cache(of name: String) throws(CommandFailure) -> ContenderCache {
    if let cache = caches.first(where: { $0.name == name }) { return cache.cache }
    if let command = scenario.policies.first(where: { $0.name == name })?.command {
      guard allowsCommands else {
        throw CommandFailure(
          .input,
          "\(path): policy \"\(name)\" is a command that a shell would run, `\(command.excerpt)`: read the "
            + "file, and then add --allow-commands to simulate, bench, tune, sensitivity or gate; or name "
            + "others with --policies")
      }
      var cache = CacheCommand(name: name, command: command)
      cache.limits = cacheLimits
      try cache.checkProgram(of: "\(path): policy \"\(name)\"")
      return .blackBox(cache)
    }
    if let design = scenario.design(for: name).flatMap({ ConfiguredDesign($0) }) {
      return .blackBox(design)
    }
    guard let composition = scenario.composition(for: name) else {
      throw CommandFailure(
        .input, "no policy is called \"\(name)\"; \(suggestion(for: name)) (\(path))")
    }
    do throws(CachePolicyError) {
      try composition.validate()
    } catch {
      throw CommandFailure(.input, "\(path): policy \"\(name)\": \(error)")
    }
    return .composed(composition)
  }
}

extension ScenarioFile {
  /// - Throws: ``CommandFailure`` if an option names a policy that is none here, or none that can be run.
  package func check(policy name: String, of option: String) throws(CommandFailure) {
    let own = caches.map(\.name) + scenario.policies.map(\.name)
    guard
      own.contains(name) || scenario.design(for: name) != nil
        || scenario.composition(for: name) != nil
    else {
      throw CommandFailure(.input, "\(option) \(name): no such policy; \(suggestion(for: name))")
    }
    _ = try cache(of: name)
  }

  /// A suggestion for an unknown policy's name.
  private func suggestion(for name: String) -> String {
    let own = scenario.policies.map(\.name)
    let presets = PolicyEntry.presets.filter { preset in
      [Preset.limitSuffix, Preset.noPushSuffix].allSatisfy {
        preset.hasSuffix($0) == name.hasSuffix($0)
      }
    }
    let here = own + caches.map(\.name)
    let known = here + presets.filter { !own.contains($0) }
    guard NearestName.suggestion(for: name, among: known) != nil else {
      return "known here: \(here.joined(separator: ", ")); `tidemark list presets` names more"
    }
    return Suggestion.text(for: name, among: known)
  }

  package func targets(for contenders: [Contender]) -> [Target] {
    let ran = contenders.map(\.name)
    return scenario.targets.compactMap { target in
      // Targets for unobservable figures of a cache apply only if they name it.
      let bound =
        target.policyNames.isEmpty
        ? contenders.filter {
          !PolicyEntry.bounds.contains($0.name) && target.metric.map($0.cache.isMeasured) ?? true
        }.map(\.name)
        : target.policyNames.filter { ran.contains($0) }
      return target.target(in: scenario.name, of: bound)
    }.filter { !$0.policies.isEmpty }
  }
}
