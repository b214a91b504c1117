// The files that a command may be on Windows, in the order in which they are looked for.
import { expect, it } from 'vitest'
import { windowsFiles } from './program-file.ts'

const PATH = 'C:\\node;"C:\\Program Files\\uv";;relative;D:\\tools\\'
const ENDS = '.COM;.EXE;.BAT;.CMD;.VBS;.JS;.PY'

it('a name is looked for in each folder of PATH, with each ending that a process can be started from', () => {
  expect(windowsFiles('npx', PATH, 'C:\\home', '.EXE;.CMD;.JS')).toEqual([
    'C:\\node\\npx.exe',
    'C:\\node\\npx.cmd',
    'C:\\Program Files\\uv\\npx.exe',
    'C:\\Program Files\\uv\\npx.cmd',
    'D:\\tools\\npx.exe',
    'D:\\tools\\npx.cmd',
  ])
})

it('a name with such an ending is taken as it is, one with another gets an ending', () => {
  expect(windowsFiles('uvx.EXE', 'C:\\uv', 'C:\\home', ENDS)).toEqual(['C:\\uv\\uvx.EXE'])
  expect(windowsFiles('server.js', 'C:\\uv', 'C:\\home', '.EXE')).toEqual(['C:\\uv\\server.js.exe'])
})

it.each([
  ['.\\server', 'C:\\home\\server'],
  ['bin/server', 'C:\\home\\bin\\server'],
  ['D:\\a b\\server', 'D:\\a b\\server'],
  ['\\\\host\\share\\server', '\\\\host\\share\\server'],
])('the path %s is no name: PATH is not searched', (command, file) => {
  expect(windowsFiles(command, PATH, 'C:\\home', '.EXE')).toEqual([`${file}.exe`])
})

it('the endings are the usual ones where PATHEXT has none', () => {
  expect(windowsFiles('a', 'C:\\b', 'C:\\home', '')).toEqual(
    ['.com', '.exe', '.bat', '.cmd'].map((end) => `C:\\b\\a${end}`),
  )
})
