//! A person at a browser, who finds things by their role and their name as a screen reader says
//! them, and clicks and types.

use std::path::Path;
use std::time::Instant;

use serde_json::{Value, json};

use super::browser::{Browser, LOOK, WAIT};

impl Browser {
    /// The screen of a desktop or of a phone.
    pub(crate) fn resize(&mut self, width: u32) {
        let height = if width < 600 { 844 } else { 860 };
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600
        });
        self.call("Emulation.setDeviceMetricsOverride", size);
    }

    /// Whether the system is set to dark.
    pub(crate) fn darken(&mut self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.call("Emulation.setEmulatedMedia", features);
    }

    /// Waits for a thing of this role and exactly this name, as a screen reader says them, that can
    /// be used, that nothing else covers and that moves no more; then this is what the page's
    /// script knows as `found`.
    #[track_caller]
    pub(crate) fn find(&mut self, role: &str, name: &str) {
        let end = Instant::now() + WAIT;
        let look = format!(
            "(() => {{
               const named = (it) => it.computedRole === {role} && it.computedName === {name};
               const fits = (it) => !it.disabled && named(it);
               const bare = (it) => {{
                 it.scrollIntoView({{ block: 'center', behavior: 'instant' }});
                 const {{ x, y, width, height }} = it.getBoundingClientRect();
                 const top = document.elementFromPoint(x + width / 2, y + height / 2);
                 return it.contains(top) || top?.contains(it);
               }};
               const all = document.querySelectorAll('a, button, input, select, textarea, h1, h2, h3');
               window.found = [...all].find((it) => it.checkVisibility() && fits(it) && bare(it));
               const {{ x, y }} = window.found?.getBoundingClientRect() ?? {{}};
               const [before, now] = [window.foundAt, [{role}, {name}, x, y].join()];
               window.foundAt = now;
               return Boolean(window.found) && before === now;
             }})()",
            role = json!(role),
            name = json!(name),
        );
        while !self.holds(&look) {
            if Instant::now() > end {
                let page = self.ask("document.body.innerText");
                panic!("there is no {role} {name:?} on the page:\n{}", page.as_str().unwrap_or(""));
            }
            std::thread::sleep(LOOK);
        }
    }

    /// Clicks into the middle of a thing.
    #[track_caller]
    pub(crate) fn click(&mut self, role: &str, name: &str) {
        self.find(role, name);
        let place = self.ask(
            "(({ x, y, width, height }) => [x + width / 2, y + height / 2])\
             (found.getBoundingClientRect())",
        );
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({
                "type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1
            });
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Types a text over what a field has.
    #[track_caller]
    pub(crate) fn fill(&mut self, role: &str, name: &str, text: &str) {
        self.find(role, name);
        self.ask("found.focus(); found.select()");
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// What stands in a field of text.
    #[track_caller]
    pub(crate) fn value_of(&mut self, name: &str) -> Value {
        self.find("textbox", name);
        self.ask("found.value")
    }

    /// Chooses an option of a list by its text.
    #[track_caller]
    pub(crate) fn choose(&mut self, name: &str, option: &str) {
        self.find("combobox", name);
        let choice = format!(
            "found.value = [...found.options].find((one) => one.text === {}).value;
             found.dispatchEvent(new Event('change', {{ bubbles: true }}))",
            json!(option)
        );
        self.ask(&choice);
    }

    /// Gives files to the page's field for files of this identifier.
    pub(crate) fn give(&mut self, id: &str, files: &[&Path]) {
        let element = self.call(
            "Runtime.evaluate",
            json!({ "expression": format!("document.getElementById({id:?})") }),
        );
        let object = element["result"]["objectId"].clone();
        self.call("DOM.setFileInputFiles", json!({ "files": files, "objectId": object }));
    }

    /// Waits until the page shows a text.
    #[track_caller]
    pub(crate) fn reads(&mut self, text: &str) {
        let found = format!("document.body.innerText.includes({})", json!(text));
        self.wait_for(&found);
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: &str) {
        let text = match key {
            "Enter" => "\r",
            one if one.chars().count() == 1 => one,
            _ => "",
        };
        let number = match key {
            "Enter" => 13,
            "Escape" => 27,
            "Tab" => 9,
            _ => 0,
        };
        for kind in ["keyDown", "keyUp"] {
            let event = json!({
                "type": kind, "key": key, "code": code, "text": text,
                "windowsVirtualKeyCode": number
            });
            self.call("Input.dispatchKeyEvent", event);
        }
    }
}
