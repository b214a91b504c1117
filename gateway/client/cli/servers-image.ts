// The image of a container: another digest after showing what it changes, and the one before.
import type { LocalServerEntry } from '../../contract/local-servers.ts'
import { UsageError } from './exit.ts'
import { putEntry } from './servers-file.ts'
import { type Around, dryStart, type Named, toolChanges, type Update } from './servers-tools.ts'

type Given = {
  readonly file: string
  readonly name: string
  readonly entry: LocalServerEntry
  /** As the file has it. */
  readonly raw: object
}

/** Fetches the image of a tag, and says what it changes. Nothing runs it from now on before `use`. */
export async function proposedImage(around: Around, { file, name, entry, raw }: Given, to?: string): Promise<Update> {
  const { env, signal, warn } = around
  const [repository = ''] = entry.command.split('@')
  const tag = to === undefined ? entry.image?.tag : `${repository}:${to}`
  if (tag === undefined) throw new UsageError(`${name} was added by its digest: name the tag of the image with --to`)
  const { imageByDigest } = await import('../packages/image.ts')
  const image = await imageByDigest(tag, env, signal)
  const update = {
    next: { version: image, label: image },
    isSame: image === entry.command,
    use: () => putEntry(file, name, { ...raw, command: image, image: { tag, previous: entry.command } }),
    // The engine keeps what it fetched.
    drop: async () => undefined,
  }
  if (update.isSame) return update
  warn(`${entry.command} → ${image} (${tag})`)
  warn('Starts both images in a container, without a network, to compare their tools…')
  const toolsIn = (command: string) => dryStart(around, file, { ...entry, command })
  for (const line of toolChanges(await toolsIn(entry.command), await toolsIn(image))) warn(line)
  warn(`Environment: ${[...Object.keys(entry.env), ...entry.secrets].join(', ') || 'no variables'}, as before`)
  return update
}

/** A person agreed to it then. */
export async function imageBefore({ file, name, entry, raw }: Given): Promise<Named> {
  const { image, command } = entry
  if (image?.previous === undefined) throw new UsageError(`${name} has no earlier image here`)
  await putEntry(file, name, { ...raw, command: image.previous, image: { ...image, previous: command } })
  return { version: image.previous, label: image.previous }
}
