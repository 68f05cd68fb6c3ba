# A page, and beside it what was found as JSON.
$ ink lab --quick --only 000 -o page.html; ls
page.html
page.json
! ink: page.html: the page; page.json: the same as JSON
$ head -n 1 page.html; grep -c '<h2 id="000">' page.html; tail -n 1 page.html
<!doctype html>
1
</html>
$ python3 -c 'import json; found = json.load(open("page.json")); print(found["quick"], [e["id"] for e in found["experiments"]])'
True ['000']
$ ink lab -q --quick --only 000 --force -o page; ls
page
page.html
page.json
