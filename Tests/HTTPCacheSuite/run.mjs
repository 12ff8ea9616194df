// See `run`, which calls this.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'

const [checkout, proxyPath, flag, only] = process.argv.slice(2)
const list = path.join(import.meta.dirname, 'results.tsv')
const load = name => import(path.join(checkout, name))
const { default: suites } = await load('tests/index.mjs')
const { runTests, getResults } = await load('test-engine/client/runner.mjs')
const { determineTestResult, resultTypes } = await load('test-engine/lib/results.mjs')

const tests = suites.flatMap(suite => suite.tests)
const kindOf = test => test.kind ?? 'required'
// Whom a test is for, by what the suite itself has browsers, proxies and delivery networks skip.
const scopeOf = test => test.cdn_only ? 'cdn' : test.browser_skip ? 'shared' : 'private'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'http-cache-suite-'))
const children = []
const start = (command, args, options) => {
  const child = spawn(command, args, options)
  children.push(child)
  return child
}

async function freePort () {
  return new Promise(resolve => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function listening (port) {
  for (let tries = 0; tries < 200; tries++) {
    const isOpen = await new Promise(resolve => {
      const socket = net.connect(port, '127.0.0.1', () => { socket.end(); resolve(true) })
      socket.on('error', () => resolve(false))
    })
    if (isOpen) return
    await new Promise(resolve => setTimeout(resolve, 50))
  }
  throw new Error(`nothing listens on port ${port}`)
}

async function startProxy () {
  const port = await freePort()
  const origin = start(process.execPath, ['test-engine/server/server.mjs'], {
    cwd: checkout,
    stdio: flag === '--only' ? 'inherit' : 'ignore',
    env: {
      ...process.env,
      npm_config_protocol: 'http',
      npm_config_port: `${port}`,
      npm_config_pidfile: path.join(folder, 'pid')
    }
  })
  origin.on('error', error => { throw error })
  await listening(port)
  const proxy = start(proxyPath, [`http://127.0.0.1:${port}`, path.join(folder, 'cache')], {
    stdio: ['ignore', 'pipe', 'inherit']
  })
  return new Promise((resolve, reject) => {
    proxy.on('error', reject)
    proxy.stdout.once('data', line => resolve(`${line}`.trim()))
  })
}

async function run (base) {
  const chosen = flag === '--only' ? tests.filter(test => test.id === only) : tests
  if (chosen.length === 0) throw new Error(`no test has the id ${only}`)
  if (flag === '--only') for (const test of chosen) test.dump = true
  const forBrowsers = chosen.filter(test => test.browser_only)
  await runTests([{ tests: chosen.filter(test => !test.browser_only) }], false, base)
  await runTests([{ tests: forBrowsers }], true, base)
  return getResults()
}

function word (result) {
  if (result === true) return 'passed'
  if (result === undefined) return 'not run'
  return result[0] === 'Assertion' ? 'failed' : result[0] === 'Setup' ? 'setup' : 'error'
}

function readList () {
  const rows = new Map()
  if (!fs.existsSync(list)) return rows
  for (const line of fs.readFileSync(list, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    const [id, kind, scope, result, reason = ''] = line.split('\t')
    rows.set(id, { kind, scope, result, reason })
  }
  return rows
}

function printCounts (results) {
  const suiteResult = id => determineTestResult(suites, id, results)
  console.log('kind      for      passed  of   also with the tests that it depends on')
  for (const kind of ['required', 'optimal', 'check']) {
    for (const scope of ['private', 'shared', 'cdn']) {
      const some = tests.filter(test => kindOf(test) === kind && scopeOf(test) === scope)
      const passed = some.filter(test => results[test.id] === true)
      const whole = some.filter(test =>
        [resultTypes.pass, resultTypes.yes].includes(suiteResult(test.id)))
      const cells = [kind.padEnd(9), scope.padEnd(8), `${passed.length}`.padStart(6),
        `${some.length}`.padStart(4), `${whole.length}`.padStart(5)]
      console.log(cells.join(' '))
    }
  }
}

let isAsExpected = true
try {
  const results = await run(await startProxy())
  if (flag === '--only') {
    console.log(JSON.stringify(results[only]))
  } else {
    printCounts(results)
    const expected = readList()
    const lines = [
      '# What ResponseCache makes of each test of http-tests/cache-tests, written by `run CHECKOUT --write`.',
      '# private: for caches of one user, as browsers are; shared and cdn: for the others, run all the same.',
      '# setup: what the test is about never came to pass; error: the test could not be run.',
      '# id\tkind\tfor\tresult\treason, where it is not passed'
    ]
    for (const test of tests) {
      const result = word(results[test.id])
      const known = expected.get(test.id)
      const reason = result === 'passed' ? '' : known?.reason ?? ''
      lines.push([test.id, kindOf(test), scopeOf(test), result, reason].join('\t').trimEnd())
      if (known?.result !== result) {
        isAsExpected = false
        const words = results[test.id] === true ? '' : `: ${results[test.id]?.join(': ')}`
        console.log(`${test.id}: ${result}, not ${known?.result ?? 'in the list'}${words}`)
      }
    }
    for (const id of expected.keys()) {
      if (!tests.some(test => test.id === id)) console.log(`${id}: no such test any more`)
    }
    if (flag === '--write') {
      fs.writeFileSync(list, lines.join('\n') + '\n')
      isAsExpected = true
    }
  }
} finally {
  for (const child of children) child.kill()
  fs.rmSync(folder, { recursive: true, force: true })
}
process.exit(isAsExpected ? 0 : 1)
