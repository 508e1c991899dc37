// What pages of the manual can do beside being read: nothing of it is needed to find or to read anything.

document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });

for (const figure of document.querySelectorAll("figure.code")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code").textContent.trimEnd());
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  figure.append(button);
}

const input = document.getElementById("q");
const found = document.getElementById("found");
let waiting = 0;
let asked = 0;

input.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(search, 120);
});

async function search() {
  const text = input.value.trim();
  const turn = ++asked;
  if (text === "") return close();
  const answer = await fetch(`/docs/search?${new URLSearchParams({ q: text, typing: "1" })}`);
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  // Somebody has typed on meanwhile; and a search that was refused leaves what is there.
  if (turn !== asked || !answer.ok) return;
  found.replaceChildren(...page.querySelector("main").childNodes);
  found.hidden = false;
}

function close() {
  asked++;
  found.hidden = true;
}

addEventListener("keydown", (event) => {
  const isWriting = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
  if (event.key === "/" && !isWriting && !event.ctrlKey && !event.metaKey) {
    event.preventDefault();
    input.focus();
    input.select();
  }
  if (event.key === "Escape" && !found.hidden) {
    close();
    input.focus();
  }
  if (!/^Arrow(Up|Down)$/.test(event.key) || found.hidden) return;
  const stops = [input, ...found.querySelectorAll("a")];
  const at = stops.indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  const next = at + (event.key === "ArrowDown" ? 1 : -1);
  stops[(next + stops.length) % stops.length].focus();
});

document.addEventListener("click", (event) => {
  if (!event.target.closest("header form") || event.target.closest("#found a")) close();
});
document.addEventListener("focusin", (event) => {
  if (!event.target.closest("header form")) found.hidden = true;
});
