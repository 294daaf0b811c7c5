// own process: it starts programs, and compiles manifests
// needs: python3-yaml
import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import ts from 'typescript'
import { fleetSchema } from '#data/fleet'
import { readDescription } from '#runtime/fleet/command.ts'
import { metricsText } from '#runtime/fleet/metrics.ts'
import { planReach } from '#runtime/fleet/plan.ts'
import { Statistics } from '#runtime/fleet/statistics.ts'
import { samplesOf } from '#runtime/fleet/top.ts'
import { fileFaults } from '#runtime/schema'
import { needing } from '#test/host/every-host.ts'
import { isInstalled } from '#test/host/hosts.ts'
import { writeImage } from '../../deploy/oci/oci.mjs'

const folder = mkdtempSync(join(tmpdir(), 'minnow-'))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))

// biome-ignore lint/suspicious/noExplicitAny: manifests are looked into wherever a test likes
type Json = any

t.test('the image is a layout of OCI, for each architecture, and the same for the same binaries', async (t) => {
  const binary = join(folder, 'binary')
  writeFileSync(binary, 'not really a program')
  const binaries = { amd64: binary, arm64: binary, arm: binary }
  const layout = join(folder, 'oci')
  const all = () => readdirSync(layout, { recursive: true, encoding: 'utf8' }).sort()
  writeImage(layout, binaries, '1.2.3')
  const before = all()
  writeImage(layout, binaries, '1.2.3')
  t.strictSame(all(), before)
  const blob = ({ digest, size }: { digest: string; size: number }) => {
    const [, hash = ''] = digest.split(':')
    const bytes = readFileSync(join(layout, 'blobs/sha256', hash))
    t.equal(bytes.length, size)
    const [sum] = execFileSync('sha256sum', [join(layout, 'blobs/sha256', hash)], { encoding: 'utf8' }).split(' ')
    t.equal(sum, hash)
    return bytes
  }
  const read = (descriptor: Json): Json => JSON.parse(blob(descriptor).toString())
  t.strictSame(JSON.parse(readFileSync(join(layout, 'oci-layout'), 'utf8')), { imageLayoutVersion: '1.0.0' })
  const index = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8'))
  t.equal(index.manifests[0].annotations['org.opencontainers.image.ref.name'], '1.2.3')
  const { manifests } = read(index.manifests[0])
  t.strictSame(
    manifests.map(({ platform }: Json) => [platform.os, platform.architecture, platform.variant].join('/')),
    ['linux/amd64/', 'linux/arm64/', 'linux/arm/v7']
  )
  for (const manifest of manifests) {
    const { config, layers } = read(manifest)
    t.strictSame(read(config).config.Entrypoint, ['/minnow'])
    t.equal(layers.length, 1)
    const archive = join(folder, 'layer.tar.gz')
    writeFileSync(archive, blob(layers[0]))
    const listed = execFileSync('tar', ['--numeric-owner', '-tvzf', archive], { encoding: 'utf8', env: { TZ: 'UTC' } })
    t.match(
      listed,
      /^drwx------ 65532\/65532 +0 1970-01-01 00:00 data\/\n-rwxr-xr-x 0\/0 +20 1970-01-01 00:00 minnow\n$/
    )
    const unpacked = execFileSync('sh', ['-c', `gzip -dc '${archive}' | sha256sum`], { encoding: 'utf8' })
    t.equal(read(config).rootfs.diff_ids[0], `sha256:${unpacked.split(' ')[0]}`)
  }
  t.throws(() => writeImage(layout, { vax: binary }, '1.2.3'), /vax is not one of/)
})

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))

/** The documents of a YAML file. */
function jsonOf(file: string): Json[] {
  const toJson = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(open(sys.argv[1])))))'
  return JSON.parse(execFileSync('python3', ['-c', toJson, file], { encoding: 'utf8' }))
}

const chart = 'deploy/helm'

/**
 * The manifests that Helm makes of the chart: its templates contain nothing but values, files and a condition around
 * one of them, in the forms that this knows.
 */
function readManifests(given: Json = {}): Json[] {
  const scope: Json = { Values: { ...jsonOf(join(chart, 'values.yaml'))[0], ...given }, Release: { Name: 'lab' } }
  const value = (path: string) =>
    path.split('.').reduce((inner, name) => {
      if (!(name in inner)) throw new Error(`${path} is not in values.yaml`)
      return inner[name]
    }, scope)
  const forms: [RegExp, (found: string[]) => string][] = [
    [/^\.([\w.]+)$/, ([, path = '']) => String(value(path))],
    [/^toJson \.([\w.]+)$/, ([, path = '']) => JSON.stringify(value(path))],
    [/^toJson \.([\w.]+) \| quote$/, ([, path = '']) => JSON.stringify(JSON.stringify(value(path)))],
    [/^\.Files\.Get "([\w.]+)" \| quote$/, ([, file = '']) => JSON.stringify(readFileSync(join(chart, file), 'utf8'))]
  ]
  const condition = /^\{\{- if \.([\w.]+) \}\}\n([\s\S]*)\{\{- end \}\}\n$/
  const rendered = (template: string) =>
    template
      .replace(condition, (_, path, body) => (value(path) ? body : ''))
      .replace(/\{\{(.*?)\}\}/g, (whole, inner) => {
        for (const [form, text] of forms) {
          const found = form.exec(inner.trim())
          if (found !== null) return text(found)
        }
        throw new Error(`this test does not know ${whole}`)
      })
  return readdirSync(join(chart, 'templates')).flatMap((name) => {
    const file = join(folder, name)
    writeFileSync(file, rendered(readFileSync(join(chart, 'templates', name), 'utf8')))
    return jsonOf(file).filter((each) => each !== null)
  })
}

t.test('the chart is of this version, and its values are where they belong', async (t) => {
  const [description] = jsonOf(join(chart, 'Chart.yaml'))
  t.match(description, { apiVersion: 'v2', name: 'minnow', version, appVersion: version })
  const manifests = readManifests({ replicas: 3, image: 'registry/minnow:1', secret: 'other', storage: '1Gi' })
  const { spec } = manifests.find(({ kind }) => kind === 'StatefulSet')
  t.match(spec, {
    replicas: 3,
    template: {
      spec: {
        containers: [{ image: 'registry/minnow:1', env: [{}, { valueFrom: { secretKeyRef: { name: 'other' } } }] }]
      }
    },
    volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '1Gi' } } } }]
  })
})

/** The errors in manifests by the types of the API of Kubernetes, unknown members among them. */
function faultsOf(manifests: Json[]): string[] {
  const name = join(process.cwd(), 'manifests.ts')
  const text = manifests
    .map((each, index) => {
      const module = each.apiVersion === 'v1' ? 'core/v1' : each.apiVersion
      return `export const m${index}: import('kubernetes-types/${module}').${each.kind} = ${JSON.stringify(each)}`
    })
    .join('\n')
  const { Bundler } = ts.ModuleResolutionKind
  const options = {
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    lib: ['lib.es5.d.ts'],
    types: [],
    moduleResolution: Bundler,
    module: ts.ModuleKind.ESNext
  }
  const host = ts.createCompilerHost(options)
  const { getSourceFile } = host
  host.getSourceFile = (file, target, ...more) =>
    file === name ? ts.createSourceFile(file, text, target) : getSourceFile(file, target, ...more)
  const found = ts.getPreEmitDiagnostics(ts.createProgram([name], options, host))
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
}

t.test('the manifests conform to the API of Kubernetes', async (t) => {
  t.strictSame(faultsOf(readManifests()), [])
  const planted = (plant: (set: Json) => void) => {
    const manifests = readManifests()
    plant(manifests.find(({ kind }) => kind === 'StatefulSet').spec)
    return faultsOf(manifests)
  }
  t.match(planted((spec) => Object.assign(spec, { replica: 3 })).join(), /replica\W+does not exist/)
  t.match(planted(({ template }) => delete template.spec.containers[0].name).join(), /'name' is missing/)
  t.match(
    planted((spec) => Object.assign(spec, { replicas: '3' })).join(),
    /'string' is not assignable to type 'number'/
  )
})

t.test('the manifests of Kubernetes fit one another', async (t) => {
  const manifests = readManifests()
  const of = (kind: string) => manifests.find((each) => each.kind === kind)
  const [service, configuration, set] = [of('Service'), of('ConfigMap'), of('StatefulSet')]
  t.equal(manifests.length, 3)
  t.strictSame([service.apiVersion, configuration.apiVersion, set.apiVersion], ['v1', 'v1', 'apps/v1'])
  t.equal(service.spec.clusterIP, 'None')
  t.equal(set.spec.serviceName, service.metadata.name)
  const { metadata, spec } = set.spec.template
  t.strictSame(set.spec.selector.matchLabels, metadata.labels)
  t.strictSame(service.spec.selector, metadata.labels)
  const [container] = spec.containers
  const ports = Object.fromEntries(container.ports.map(({ name, containerPort }: Json) => [name, containerPort]))
  for (const { name, port } of service.spec.ports) t.equal(ports[name], port, name)
  for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'])
    t.ok((container[probe].httpGet ?? container[probe].tcpSocket).port in ports, probe)
  const volumes = [...spec.volumes, ...set.spec.volumeClaimTemplates.map(({ metadata }: Json) => metadata)]
  t.strictSame(
    container.volumeMounts.map(({ name }: Json) => name).sort(),
    volumes.map(({ name }: Json) => name).sort()
  )
  t.equal(spec.volumes[0].configMap.name, configuration.metadata.name)
  const file = JSON.parse(configuration.data['fleet.json'])
  t.strictSame(fileFaults(fleetSchema, file, '.'), [])
  t.equal(file.groups[0].port, ports.redfish)
  t.equal(file.metrics, `0.0.0.0:${ports.metrics}`)
  t.ok(container.volumeMounts.some(({ mountPath }: Json) => file.data.startsWith(`${mountPath}/`)))
  t.match(container.env, [{ name: 'MINNOW_FLEET_PART' }, { name: 'MINNOW_ADMIN_PASSWORD' }])
  t.equal(container.image, `minnow:${version}`)
})

const dashboard: Json = JSON.parse(readFileSync(join(chart, 'dashboard.json'), 'utf8'))

t.test('the ServiceMonitor finds the metrics of the Service, and Grafana the dashboard', async (t) => {
  t.equal(readManifests().length, 3, 'only if they are asked for')
  const manifests = readManifests({ monitoring: true })
  const [service, monitor] = ['Service', 'ServiceMonitor'].map((kind) => manifests.find((each) => each.kind === kind))
  t.equal(monitor.apiVersion, 'monitoring.coreos.com/v1')
  for (const [name, label] of Object.entries(monitor.spec.selector.matchLabels))
    t.equal(service.metadata.labels[name], label)
  const [endpoint] = monitor.spec.endpoints
  t.ok(service.spec.ports.some(({ name }: Json) => name === endpoint.port))
  t.match(endpoint, { scheme: 'https', tlsConfig: { insecureSkipVerify: true } })
  const shown = manifests.find(({ metadata }) => metadata.labels.grafana_dashboard === '1')
  t.strictSame(JSON.parse(shown.data['minnow.json']), dashboard)
  t.strictSame(faultsOf(manifests.filter((each) => each !== monitor)), [])
})

const queries: { expr: string; legendFormat: string }[] = dashboard.panels.flatMap(({ targets }: Json) => targets)
const expressions = queries.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'))

/** The labels of each metric that a fleet serves. */
function servedLabels(): ReadonlyMap<string, readonly string[]> {
  const statistics = new Statistics()
  statistics.watch({ number: 1, group: '0' }, () => ({ status: 200, headers: [], body: undefined }))
  const roster = {
    groups: () => new Map([['0', { controllers: 1, open: 1 }]]),
    powerStates: () => new Map([['On', 1]])
  }
  const faults = { counts: () => [{ group: '0', fault: 'power.stuckOn', controllers: 1 }] }
  const names = [...samplesOf(metricsText(roster, statistics, faults)).keys()]
  return new Map(
    names.map((each) => [each.replace(/\{.*/, ''), [...each.matchAll(/(\w+)="/g)].map(([, label = '']) => label)])
  )
}

t.test('the dashboard asks for metrics and labels that a fleet serves, and for all of them', async (t) => {
  const served = servedLabels()
  const used = new Set<string>()
  queries.forEach(({ legendFormat }, index) => {
    const expression = expressions[index]!
    const metrics = [...expression.matchAll(/\bminnow_\w+/g)].map(([name]) => name)
    const grouped = [...expression.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '))
    const selected = [...expression.matchAll(/(\w+)\s*[=!]~?"/g)].map(([, label = '']) => label)
    for (const name of metrics) {
      used.add(name)
      for (const label of [...grouped, ...selected]) t.ok(served.get(name)?.includes(label), `${name} has ${label}`)
      t.ok(served.has(name), `${name} is served`)
    }
    for (const [, label = ''] of legendFormat.matchAll(/\{\{(\w+)\}\}/g)) t.ok(grouped.includes(label), label)
  })
  t.strictSame([...used].sort(), [...served.keys()].sort())
  const ids = dashboard.panels.map(({ id }: Json) => id)
  t.equal(new Set(ids).size, ids.length)
})

const promtool = isInstalled('promtool') ? undefined : 'promtool: not here; install prometheus'
needing('Prometheus takes the expressions of the dashboard', promtool, async (t) => {
  const check = (expressions: readonly string[]) => {
    const file = join(folder, 'rules.yaml')
    const rules = expressions.map((expr, index) => ({ record: `panel:${index}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    return spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })
  }
  const { status, stdout, stderr } = check(expressions)
  t.equal(status, 0, stdout + stderr)
  t.equal(check(['sum by (minnow_controllers']).status, 1)
})

const compose = isInstalled('docker-compose') ? undefined : 'docker-compose: not here; install docker-compose'
needing('docker-compose takes its file, of which the image and the fleet are Minnow’s', compose, async (t) => {
  const config = (env: object) =>
    spawnSync('docker-compose', ['-f', 'deploy/compose.yaml', 'config'], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, ...env }
    })
  t.match(config({}).stderr, /the password of admin/)
  const { status, stdout, stderr } = config({ MINNOW_ADMIN_PASSWORD: 'Tin-Whistle-7' })
  t.equal(status, 0, stderr)
  writeFileSync(join(folder, 'compose.yaml'), stdout)
  const { services, volumes } = jsonOf(join(folder, 'compose.yaml'))[0]
  const { fleet } = services
  t.equal(fleet.image, `minnow:${version}`)
  t.strictSame(fleet.environment, { MINNOW_ADMIN_PASSWORD: 'Tin-Whistle-7' })
  const [first, ...args] = fleet.command
  t.equal(first, 'fleet')
  const { groups, metrics, data } = readDescription(args)!
  const [{ port, group } = { port: 0, group: { count: 0 } }] = planReach(groups)
  const published = fleet.ports.map(
    (each: Json) => each.target ?? Number(String(each).split(':').at(-1)?.split('/')[0])
  )
  const taken = Array.from({ length: group.count }, (_, index) => port + index)
  t.strictSame(
    published.sort((one: number, other: number) => one - other),
    [Number(metrics.split(':')[1]), ...taken]
  )
  t.strictSame(fleet.healthcheck.test.slice(1, 5), ['/minnow', 'fleet', 'top', metrics.replace('0.0.0.0', '127.0.0.1')])
  const [mount] = fleet.volumes
  const [volume, at] = typeof mount === 'string' ? mount.split(':') : [mount.source, mount.target]
  t.strictSame(Object.keys(volumes), [volume])
  t.ok(data.startsWith(`${at}/`))
})

const missing = isInstalled('systemd-analyze') ? undefined : 'systemd-analyze: not here; install systemd'
t.test('the recipe for OpenBMC has the files of its folder, and the license of this tree', async (t) => {
  const recipes = readdirSync('deploy/openbmc').filter((name) => name.endsWith('.bb'))
  t.same(recipes, [`minnow_${version}.bb`])
  const recipe = readFileSync(join('deploy/openbmc', recipes[0] ?? ''), 'utf8')
  const sum = createHash('md5').update(readFileSync('LICENSE')).digest('hex')
  t.match(recipe, `file://LICENSE;md5=${sum}`)
  const files = [...recipe.matchAll(/^ {4}file:\/\/(\S+) /gm)].map(([, name]) => name)
  const own = readdirSync('deploy/openbmc').filter((name) => !name.endsWith('.bb'))
  t.same(files.sort(), [...own, 'LICENSE', 'minnow-armv7'].sort())
})

needing('systemd takes the units of OpenBMC', missing, async (t) => {
  const helpers = ['minnow-pam', 'minnow-https']
  const templates = [...helpers, 'minnow-boot'].map((each) => `${each}@.service`)
  const units = ['minnow.service', ...helpers.map((each) => `${each}.socket`), ...templates]
  for (const unit of units) {
    const text = readFileSync(join('deploy/openbmc', unit), 'utf8')
    writeFileSync(join(folder, unit), text.replace(/\/usr\/(bin\/minnow|libexec\/minnow-pam)/, process.execPath))
  }
  const paths = units.map((unit) => join(folder, unit.replace('@', '@1')))
  for (const each of templates) cpSync(join(folder, each), join(folder, each.replace('@', '@1')))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' })
  t.strictSame(
    stderr.split('\n').filter((line) => line.includes('minnow')),
    []
  )
  t.equal(status, 0, stderr)
})

needing('systemd takes the unit', missing, async (t) => {
  const unit = join(folder, 'minnow-fleet@lab.service')
  const text = readFileSync('deploy/minnow-fleet@.service', 'utf8')
  writeFileSync(unit, text.replace('/usr/local/bin/minnow', process.execPath))
  const { status, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', unit], { encoding: 'utf8' })
  t.strictSame(
    stderr.split('\n').filter((line) => line.includes('minnow-fleet')),
    []
  )
  t.equal(status, 0, stderr)
})
