import Analysis
import CacheSimulation
import CommandLineInterface
import Foundation
import ResultModel
import Text
import Workloads

/// The recordings of the users of one app.
///
/// The user is the replicate of a comparison: sessions of one person are not independent.
struct RecordedUsers: Sendable {
  /// All recordings of one user: each session begins with an empty cache.
  struct User: Sendable {
    /// The name that distinguishes the user: the path, or the part of it that `--user` selects.
    var name: String
    var paths: [String]
    var sessions: [Workload]
    /// The digests of each session's bytes.
    var digests: [String]
  }

  var users: [User]
  /// The network and the server lent to the sessions, as values.
  var lent: [ScenarioContent.Value] = []

  var paths: [String] { users.flatMap(\.paths) }
  private var sessions: [Workload] { users.flatMap(\.sessions) }
  var name: String { sessions[0].name }

  /// Known only if it is known for every session.
  var truth: Truth { sessions.contains { $0.truth == .observed } ? .observed : .known }

  /// The data of all sessions by name: a session may know only a part.
  var model: DataModel {
    users.count == 1 && users[0].sessions.count == 1
      ? sessions[0].model : DataModel(namesOf: sessions.map(\.model))
  }

  /// The content that distinguishes it from others with its name.
  var content: [ScenarioContent.Value] {
    let digests = users.enumerated().flatMap { number, user in
      user.digests.enumerated().map { place, digest in
        ScenarioContent.Value(
          path: users.count == 1 && user.digests.count == 1
            ? "recording" : "recording.\(number + 1).\(place + 1)", text: digest)
      }
    }
    return digests + lent
  }

  /// Returns the sessions with the network and the server of a scenario file.
  func under(_ scenario: LentScenario) -> RecordedUsers {
    guard scenario.changesWorkload else { return self }
    var copy = self
    for user in users.indices {
      copy.users[user].sessions = users[user].sessions.map(scenario.applied)
    }
    let first = copy.sessions[0]
    copy.lent =
      ScenarioContent.values(of: first.network).map {
        ScenarioContent.Value(path: "network\($0.path)", text: $0.text)
      }
      + ScenarioContent.values(of: first.retention).map {
        ScenarioContent.Value(path: "server\($0.path)", text: $0.text)
      } + [
        ScenarioContent.Value(path: "server.not-modified", text: "\(first.saysNotModified)"),
        ScenarioContent.Value(path: "network.events", text: "\(first.pushesEvents)"),
      ]
    return copy
  }

  /// The rows of the app's own cache from the logs: of all users, or none if a session has no outcomes.
  var outcomeRows: [ResultRow] {
    var all = RowsOverSeeds()
    for (number, user) in users.enumerated() {
      let own = user.sessions.compactMap { RecordedOutcomes(of: $0)?.rows }
      guard own.count == user.sessions.count else { return [] }
      all.append(
        users.count == 1 && own.count == 1
          ? own[0] : RowsOverSeeds.ofUser(own, number: UInt64(number + 1)))
    }
    return all.means
  }
}

/// A pattern for users in the names of recordings, such as `logs/{user}-*.jsonl`.
struct UserPattern {
  private let text: String
  /// A regular expression whose first group is the user.
  private let expression: String

  private static let user = "{user}"

  /// Returns whether an argument is a pattern, which selects all matching files.
  static func isPattern(_ argument: String) -> Bool { argument.contains(user) }

  init(_ text: String) throws(CommandFailure) {
    let parts = text.split(separator: Self.user, omittingEmptySubsequences: false)
    guard parts.count == 2, !text.contains("\\") else {
      throw CommandFailure(
        .input,
        "--user '\(text.excerpt)': write {user} once where the paths have the user's name, and * for anything "
          + "else, as in 'logs/{user}-*.jsonl'")
    }
    self.text = text
    expression = parts.map { part in
      part.split(separator: "*", omittingEmptySubsequences: false)
        .map { $0.isEmpty ? "" : "\\Q\($0)\\E" }.joined(separator: "[^/]*")
    }.joined(separator: "([^/]+?)")
  }

  /// Returns the part of a path that names the user.
  func user(of path: String) throws -> String {
    guard let match = try Regex(expression).wholeMatch(in: path),
      let name = match.output[1].substring
    else {
      throw CommandFailure(
        .input,
        "\(FileKind.title(of: path)): --user '\(text)' does not match it; change the pattern")
    }
    return String(name)
  }

  /// Returns the existing recordings that match, in order.
  ///
  /// O(files in the folders that the pattern leaves open).
  func paths() throws -> [String] {
    var paths = [text.hasPrefix("/") ? "/" : ""]
    for part in text.split(separator: "/") {
      paths = paths.flatMap { folder -> [String] in
        guard part.contains("*") || part.contains(Self.user) else { return [folder + part + "/"] }
        let names = try? FileManager.default.contentsOfDirectory(
          atPath: folder.isEmpty ? "." : folder)
        return (names ?? []).sorted().filter { !$0.hasPrefix(".") }.map { folder + $0 + "/" }
      }
    }
    let expression = try Regex(expression)
    let found = try paths.map { String($0.dropLast()) }.filter {
      try expression.wholeMatch(in: $0) != nil && FileManager.default.fileExists(atPath: $0)
    }
    guard !found.isEmpty else {
      throw CommandFailure(
        .input, "'\(text)': no file matches it; check the folder, and quote the pattern")
    }
    return found
  }
}
