// A button on each block of code that copies it; of a session in a shell, the commands alone.
document.addEventListener("DOMContentLoaded", () => {
  for (const block of document.querySelectorAll("div.highlight")) {
    const output = block.parentElement.classList.contains("highlight-text");
    const code = block.querySelector("pre");
    if (output || !code || !navigator.clipboard) continue;
    const session = block.parentElement.classList.contains("highlight-console");
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      const lines = code.textContent.replace(/\n$/, "").split("\n");
      const commands = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
      await navigator.clipboard.writeText((session ? commands : lines).join("\n"));
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    block.append(button);
  }
});
