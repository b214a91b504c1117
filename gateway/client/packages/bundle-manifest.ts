// The manifest of a bundle (.mcpb) as an entry: its command, and its settings as arguments, variables, secrets and folders. Nothing is run.
import path from 'node:path'
import { z } from 'zod'
import { isRunner, programName } from '../../contract/package-command.ts'

const text = (most: number) => z.string().max(most)
const Setting = z.looseObject({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: text(500).optional(),
  required: z.boolean().default(false),
  default: z.union([text(4_096), z.number(), z.boolean(), z.array(text(4_096)).max(100)]).optional(),
  multiple: z.boolean().default(false),
  sensitive: z.boolean().default(false),
  min: z.number().optional(),
  max: z.number().optional(),
})
type Setting = z.infer<typeof Setting>

const COMMAND = {
  command: text(4_096).min(1),
  args: z.array(text(32_768)).max(1_000),
  env: z.record(text(256), text(131_072)),
}
const Launch = z.looseObject({ ...COMMAND, args: COMMAND.args.default([]), env: COMMAND.env.default({}) })
const Override = z.looseObject(COMMAND).partial()
const SERVER_TYPES = ['node', 'python', 'binary', 'uv'] as const
const VERSION = /^\d+\.\d+/

export const BundleManifest = z.looseObject({
  manifest_version: text(16).regex(VERSION).optional(),
  /** Of bundles from before the format had its name. */
  dxt_version: text(16).regex(VERSION).optional(),
  name: text(214).min(1),
  version: text(128).min(1),
  description: text(16_384).default(''),
  author: z.looseObject({ name: text(500) }).default({ name: 'unknown' }),
  server: z.looseObject({
    type: z.enum(SERVER_TYPES),
    entry_point: text(1_024).optional(),
    mcp_config: Launch.extend({ platform_overrides: z.record(text(40), Override).default({}) }).optional(),
  }),
  tools: z
    .array(z.looseObject({ name: text(1_024) }))
    .max(10_000)
    .default([]),
  user_config: z.record(text(128), Setting).default({}),
  compatibility: z.looseObject({ platforms: z.array(text(40)).max(20).optional() }).default({}),
})
export type BundleManifest = z.infer<typeof BundleManifest>

export type BundlePlace = {
  /** The folder that it is unpacked to. */
  readonly at: string
  readonly home: string
  readonly platform: string
  /** Whether the bundle has this file. */
  readonly has: (file: string) => boolean
}

type Value = string | readonly string[]

export type BundleProgram = {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly folders: readonly string[]
  /** What a person should know of it. */
  readonly notes: readonly string[]
}

const VARIABLE = /\$\{([^{}]*)\}/g
const SETTING = 'user_config.'

const refuse = (why: string): never => {
  throw new Error(`the bundle cannot be added: ${why}`)
}

const pathOf = ({ platform }: Pick<BundlePlace, 'platform'>): typeof path.posix =>
  platform === 'win32' ? path.win32 : path.posix

function plainVariable(name: string, { at, home, platform }: BundlePlace): string {
  const { join, sep } = pathOf({ platform })
  const known: Readonly<Record<string, string>> = {
    __dirname: at,
    HOME: home,
    DESKTOP: join(home, 'Desktop'),
    DOCUMENTS: join(home, 'Documents'),
    DOWNLOADS: join(home, 'Downloads'),
    pathSeparator: sep,
    '/': sep,
  }
  return (
    (Object.hasOwn(known, name) ? known[name] : undefined) ?? refuse(`it uses \${${name}}, which is not known here`)
  )
}

const filled = (given: string, place: BundlePlace): string =>
  given.replaceAll(VARIABLE, (_whole, name: string) => plainVariable(name, place))

function checked(key: string, setting: Setting, value: unknown, place: BundlePlace): Value {
  const wrong = (what: string): never => refuse(`the setting ${key} must be ${what}`)
  const { type, multiple, min = -Infinity, max = Infinity } = setting
  if (type === 'number')
    return typeof value === 'number' && value >= min && value <= max ? String(value) : wrong('a number in its limits')
  if (type === 'boolean') return typeof value === 'boolean' ? String(value) : wrong('true or false')
  const isPath = type === 'directory' || type === 'file'
  const list = multiple && Array.isArray(value) ? value : [value]
  const texts = list.map((each) => (typeof each === 'string' ? each : wrong(multiple ? 'a list of texts' : 'a text')))
  if (isPath && texts.some((each) => !pathOf(place).isAbsolute(each))) wrong('an absolute path')
  return multiple ? texts : (texts[0] ?? '')
}

/** Values by key; a setting without a value and a default has none. Throws with the names of those that are missing. */
function valuesOf(manifest: BundleManifest, given: Readonly<Record<string, unknown>>, place: BundlePlace) {
  const { user_config: settings } = manifest
  const values = new Map<string, Value>()
  const missing: string[] = []
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(settings, key))
  if (unknown !== undefined)
    refuse(`it has no setting ${unknown}. It has: ${Object.keys(settings).join(', ') || 'none'}`)
  for (const [key, setting] of Object.entries(settings)) {
    if (setting.sensitive) {
      if (given[key] !== undefined && given[key] !== true)
        refuse(`${key} is a secret: leave it out, and set it with gantry servers secret once the server is added`)
      continue
    }
    const usual = (value: unknown): unknown => (typeof value === 'string' ? filled(value, place) : value)
    const { default: own } = setting
    const value = given[key] ?? (Array.isArray(own) ? own.map(usual) : usual(own))
    if (value !== undefined) values.set(key, checked(key, setting, value, place))
    else if (setting.required) missing.push(key)
  }
  if (missing.length > 0) refuse(`give its settings with --config: ${missing.join(', ')}`)
  return values
}

const settingsIn = (given: string): readonly string[] =>
  [...given.matchAll(VARIABLE)].flatMap(([, name = '']) =>
    name.startsWith(SETTING) ? [name.slice(SETTING.length)] : [],
  )

function launchOf({ server, compatibility }: BundleManifest, { platform }: BundlePlace): z.infer<typeof Launch> {
  const { type, mcp_config: config } = server
  if (compatibility.platforms !== undefined && !compatibility.platforms.includes(platform))
    refuse(`it is for ${compatibility.platforms.join(', ')}`)
  if (type === 'uv' || config === undefined)
    return refuse('it installs what it needs when it starts, and that cannot be pinned')
  const { command, args, env } = config.platform_overrides[platform] ?? {}
  return { command: command ?? config.command, args: args ?? config.args, env: { ...config.env, ...env } }
}

/** The entry that a bundle would be, with the settings of a person. Throws a sentence where it cannot be one. */
export function bundleProgram(
  manifest: BundleManifest,
  given: Readonly<Record<string, unknown>>,
  place: BundlePlace,
): BundleProgram {
  const launch = launchOf(manifest, place)
  const values = valuesOf(manifest, given, place)
  const notes: string[] = []
  const isSecret = (key: string): boolean => manifest.user_config[key]?.sensitive ?? refuse(`it has no setting ${key}`)
  /** Undefined where a setting in it has no value. */
  function textOf(from: string): string | undefined {
    if (settingsIn(from).some((key) => !values.has(key))) return undefined
    return from.replaceAll(VARIABLE, (_whole, name: string) => {
      if (!name.startsWith(SETTING)) return plainVariable(name, place)
      return [values.get(name.slice(SETTING.length)) ?? []].flat().join(',')
    })
  }
  const { join } = pathOf(place)
  function inside(word: string): string {
    if (place.platform !== 'win32') return place.has(word) ? join(place.at, word) : word
    const file = word.replaceAll('\\', '/')
    const found = [file, `${file}.exe`].find((each) => place.has(each))
    return found === undefined ? word : join(place.at, found)
  }

  const args = launch.args.flatMap((word) => {
    const keys = settingsIn(word)
    const secret = keys.find(isSecret)
    if (secret !== undefined) refuse(`it puts the secret ${secret} into its arguments, which other users can read`)
    const [only] = keys
    if (only !== undefined && word === `\${${SETTING}${only}}`) return [values.get(only) ?? []].flat()
    const made = textOf(word)
    return made === undefined ? [] : [inside(made)]
  })
  const env: Record<string, string> = {}
  const secrets: string[] = []
  for (const [name, from] of Object.entries(launch.env)) {
    const secret = settingsIn(from).find(isSecret)
    if (secret === undefined) {
      const made = textOf(from)
      if (made !== undefined) env[name] = made
    } else if (manifest.user_config[secret]?.required || given[secret] === true) {
      secrets.push(name)
      if (from !== `\${${SETTING}${secret}}`) notes.push(`the secret ${name} is the whole text ${JSON.stringify(from)}`)
    } else notes.push(`${name} is left out: its secret is optional. Declare it with --config {"${secret}": true}`)
  }
  const folders = Object.entries(manifest.user_config).flatMap(([key, { type }]) =>
    type === 'directory' || type === 'file' ? [values.get(key) ?? []].flat() : [],
  )
  const asked = inside(textOf(launch.command) ?? refuse('its command needs a setting'))
  if (isRunner({ command: asked, args }) || programName(asked) === 'uv')
    refuse(`it downloads its program: add that instead, with gantry servers add <name> -- ${asked} …`)
  const command = asked === 'python' && place.platform !== 'win32' ? 'python3' : asked
  return { command, args, env, secrets, folders: [...new Set(folders)], notes }
}
