// The file that a command names, as a shell finds it.
import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}

export async function fileOf(command: string, pathText: string, cwd: string): Promise<string | undefined> {
  if (command.includes('/')) {
    const file = path.resolve(cwd, command)
    return (await isProgram(file)) ? file : undefined
  }
  for (const folder of pathText.split(':')) {
    const file = path.join(folder, command)
    if (path.isAbsolute(folder) && (await isProgram(file))) return file
  }
  return undefined
}
