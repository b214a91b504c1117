// Started by a conformance suite as the client it judges: passes the address of its server on to the test, whose gateway is the client.
const [, , test, server] = process.argv
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env
const body = JSON.stringify({ server, scenario, context: JSON.parse(context) })
const answer = await fetch(test, { method: 'POST', body })
process.stdout.write(await answer.text())
process.exitCode = answer.ok ? 0 : 1
