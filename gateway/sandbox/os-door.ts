// The door of one start in the sandbox of the operating system: a Unix socket where that reaches it, otherwise a loopback port.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Door, type DoorParts, openDoor } from '../net/door.ts'
import type { OsSystem } from './program.ts'

export async function openOsDoor(system: OsSystem, parts: Omit<DoorParts, 'path'>): Promise<Door> {
  if (!system.hasOwnNetwork) return openDoor({ ...parts, path: undefined })
  const place = await mkdtemp(path.join(tmpdir(), 'gantry-door-'))
  const remove = (): Promise<void> => rm(place, { recursive: true, force: true })
  try {
    const { address, close } = await openDoor({ ...parts, path: path.join(place, 's') })
    return {
      address,
      async close() {
        await close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}
