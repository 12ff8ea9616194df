import Processes
import RealTime
import ResponseCache

/// Every design at every size, and against one server, in turns with the controls.
struct DesignTimes {
  let plan: DesignPlan

  /// A part of what is measured: to perform it is to measure it once.
  private struct Part: Subject {
    let measure: () async throws -> [DesignSample]

    func perform(_ count: Int) async throws -> [DesignSample] { try await measure() }
  }

  /// - Parameters:
  ///   - rounds: how often everything is measured.
  ///   - progress: called with the number of each round that begins, from 1.
  /// - Returns: the samples round by round, in an order of parts that is always the same.
  /// - Throws: ``WrongAnswer``, or what a design throws.
  func samples(
    rounds: Int, progress: (Int) -> Void = { _ in }
  ) async throws -> [DesignSample] {
    let server = try await DesignServer(latency: plan.latency)
    var parts = parts(server)
    let taken: [[[DesignSample]]]
    do {
      taken = try await Driver().inTurns(
        Turns(rounds: rounds), block: 1, &parts, beginning: { progress($0 + 1) })
    } catch {
      try? await server.close()
      throw error
    }
    try await server.close()
    return (0..<rounds).flatMap { round in
      taken.flatMap { samples in
        samples[round].map { sample in
          var sample = sample
          sample.round = round + 1
          return sample
        }
      }
    }
  }

  private func parts(_ server: DesignServer) -> [any Subject<[DesignSample]>] {
    let (control, twoTier) = (ControlTimes(plan: plan), TwoTierTimes(plan: plan))
    let response = ResponseOptions.MetadataLayout.allCases.map {
      ResponseTimes(plan: plan, layout: $0)
    }
    var parts: [Part] = []
    for entries in plan.entries {
      parts.append(Part { try await control.samples(entries: entries) })
      parts.append(Part { try await twoTier.samples(entries: entries) })
      parts += response.map { times in Part { try await times.samples(entries: entries) } }
      parts.append(Part { try await RepositoryTimes(plan: plan).samples(entries: entries) })
    }
    return parts + [
      Part { try await twoTier.formSamples() },
      Part { try await control.samples(of: server) },
      Part { try await twoTier.samples(of: server) },
      Part { try await ResponseTimes(plan: plan, layout: .manifest).samples(of: server) },
    ]
  }
}
