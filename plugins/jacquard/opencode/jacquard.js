// Judges each session of opencode with the tests of its project when a turn ends, as `jacquard prove` does, and offers the tools of
// `jacquard mcp`. `jacquard init --session` copies this file into opencode's folder of plugins; deleting it there undoes that.
import { spawn } from "node:child_process"

// hook runs a hook of jacquard and gives what it answers. Where jacquard is missing or fails, the session goes on.
const hook = (name, input) =>
  new Promise((resolve) => {
    const child = spawn("jacquard", ["hook", name], { stdio: ["pipe", "pipe", "ignore"] })
    let out = ""
    child.stdout.on("data", (text) => (out += text))
    child.stdin.on("error", () => {})
    child.on("error", () => resolve({}))
    child.on("close", () => {
      try {
        resolve(JSON.parse(out))
      } catch {
        resolve({})
      }
    })
    child.stdin.end(JSON.stringify(input))
  })

export const Jacquard = async ({ client, directory }) => {
  const prompts = new Map() // by session: the last message of its user
  const returned = new Set() // sessions that go on because of a judgement: what is sent to them is no prompt
  const input = (id) => ({ session_id: id, cwd: directory, prompt_id: prompts.get(id) ?? "" })

  const stopped = async (id) => {
    const said = await hook("stop", input(id))
    if (said.decision === "block") {
      returned.add(id)
      await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text: said.reason }] } })
      return
    }
    returned.delete(id)
    if (said.systemMessage) {
      await client.tui.showToast({ body: { message: said.systemMessage, variant: "info" } }).catch(() => {})
      await client.app.log({ body: { service: "jacquard", level: "info", message: said.systemMessage } }).catch(() => {})
    }
  }

  return {
    config: async (config) => {
      config.mcp ??= {}
      config.mcp.jacquard ??= { type: "local", command: ["jacquard", "mcp"], enabled: true }
    },
    event: async ({ event }) => {
      const of = event.properties
      if (event.type === "session.created" && !of.info.parentID) {
        await hook("session-start", input(of.info.id))
      } else if (event.type === "message.updated" && of.info.role === "user" && !returned.has(of.info.sessionID)) {
        prompts.set(of.info.sessionID, of.info.id)
      } else if (event.type === "session.idle" && prompts.has(of.sessionID)) {
        await stopped(of.sessionID)
      }
    },
  }
}
