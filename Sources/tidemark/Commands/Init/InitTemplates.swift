/// The files written by `tidemark init`.
///
/// `InitTests` verifies changes: it creates the folder and runs its commands.
struct InitTemplates {
  let name: String
  /// The folder's path in its repository, for pipelines; `.`: the root.
  let place: String

  /// Returns a path for pipelines, from the root of the repository.
  private func path(_ file: String) -> String { place == "." ? file : "\(place)/\(file)" }

  /// The line by which editors find the schema that checks and completes a scenario.
  static let schemaLine = "# yaml-language-server: $schema=schema.json\n"

  /// An example app, if none was recorded.
  var scenario: String {
    """
    name: \(name)
    description: A team reads projects, tasks and comments, and others write.
    # Question: does counting references pay, and are 500 entities enough? All figures are assumed: put yours here.
    # Keys and their ranges: tidemark list fields. What it comes to: tidemark explain \(name)
    seed: 1
    duration: 4 h              # of virtual time; a run takes a tenth of a second

    data:
      entities:                # a size is one, or a median and a 99th percentile
        project: {count: 60, size: 400 B, has: {title: text, active: {time: 30 d}}}
        task:
          count: 3_000
          size: {median: 800 B, p99: 8 kB}
          has: {project: {one: project, zipf: 0.8, cascade: yes}, changed: {time: 20 d}, done: {flag: 40 %}}
        comment:
          count: 9_000
          size: {median: 300 B, p99: 4 kB}
          has: {task: {one: task, zipf: 0.8, cascade: yes}, sent: {time: 20 d}, body: text}
      queries:                 # what the app asks its server for
        projects: {list: project, order: active descending, first: 60}
        tasks:    {list: task, where: [project is subject, not done], order: changed descending, page: 25}
        comments: {list: comment, where: task is subject, order: sent descending, first: 50}
      operations:              # one commit, one event
        reply: {create: comment, touch: task.changed}
        edit:  {set: task.changed, prefer: popular}
        close: {toggle: task.done, prefer: popular}

    writers:                   # everybody else
      - {name: team, count: 12, rate: 6/h, mix: {reply: 60 %, edit: 30 %, close: 10 %}}

    users:                     # whose caches are compared
      - name: phone
        clients: 2
        visits: {rate: 6/h, length: 4 min, between: suspended}
        think: 5 s
        mix: {browse: 70 %, glance: 30 %}
        activities:
          browse: [visit: projects, {follow: tasks, zipf: 0.8}, {follow: comments, zipf: 0.8}]
          glance: [{visit: tasks, zipf: 0.9, revisit: 60 %}, {page-on: 0.5, optional: 40 %}]

    network: {events: push, round-trip: 80 ms, delay: 40 ms}   # events: none, if your server pushes nothing
    server: {replay-events: 2_000, replay-age: 12 h}
    cache: {capacity-entities: 500, maximum-queries: 15, time-to-live: 5 min}
    policies: [lru, refcount, ttl, no-cache, unbounded]
    goal: {maximise: fresh_hit_ratio, subject-to: ['stale_read_share <= 1 %']}
    targets: [{metric: hit_ratio, class: tasks, at-least: 15 %, policies: [lru]}]

    """
  }

  /// The usual commands in a few lines.
  var makefile: String {
    """
    # explain, simulate, gate, baseline: the last after a change that was meant; commit Reports/baseline with it.
    TIDEMARK ?= tidemark
    .PHONY: explain simulate gate baseline
    explain:  ; $(TIDEMARK) explain \(name)
    simulate: ; $(TIDEMARK) simulate \(name) --seeds auto
    gate:     ; $(TIDEMARK) gate
    baseline: ; $(TIDEMARK) bench --baseline

    """
  }

  var ignored: String {
    """
    Reports/latest/
    Reports/verdict.json
    gate.xml

    """
  }

  /// The pipeline step that installs the command.
  private static let archive = """
    # TIDEMARK_ARCHIVE is the address of the archive that `make dist` writes in Tidemark's sources: a variable
    # of this repository, under
    """

  /// A workflow of GitHub Actions.
  var github: String {
    """
    # Fails where a change makes caching worse.
    \(Self.archive) Settings, Secrets and variables, Actions, Variables.
    name: tidemark
    on:
      pull_request:
      push:
        branches: [main]

    permissions:
      contents: read

    jobs:
      gate:
        runs-on: ubuntu-24.04
        timeout-minutes: 15
        defaults:
          run:
            shell: bash
        steps:
          - uses: actions/checkout@v4
          - name: install tidemark
            env:
              TIDEMARK_ARCHIVE: ${{ vars.TIDEMARK_ARCHIVE }}
            run: |
              mkdir -p "$RUNNER_TEMP/tidemark"
              curl --fail --silent --show-error --location "$TIDEMARK_ARCHIVE" |
                tar --extract --gzip --strip-components=1 --directory="$RUNNER_TEMP/tidemark"
              echo "$RUNNER_TEMP/tidemark" >> "$GITHUB_PATH"
          - name: gate
            working-directory: \(place)
            run: tidemark gate --format github --also junit=gate.xml --also markdown="$GITHUB_STEP_SUMMARY"
          - name: keep the verdict
            if: always()
            uses: actions/upload-artifact@v4
            with:
              name: verdict
              path: |
                \(path("gate.xml"))
                \(path("Reports/verdict.json"))

    """
  }

  /// A pipeline of GitLab CI.
  var gitlab: String {
    """
    # Fails where a change makes caching worse.
    \(Self.archive) Settings, CI/CD, Variables.
    gate:
      image: buildpack-deps:bookworm
      script:
        - mkdir -p /opt/tidemark
        - curl --fail --silent --show-error --location --output /tmp/tidemark.tar.gz "$TIDEMARK_ARCHIVE"
        - tar --extract --gzip --strip-components=1 --directory=/opt/tidemark --file=/tmp/tidemark.tar.gz
        - cd \(place)
        - /opt/tidemark/tidemark gate --also junit=gate.xml
      artifacts:
        when: always
        reports:
          junit: \(path("gate.xml"))
        paths: [\(path("Reports/verdict.json"))]

    """
  }
}
